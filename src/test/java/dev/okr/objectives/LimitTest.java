package dev.okr.objectives;

import static dev.okr.testing.Json.object;
import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.platform.ids.IdKind;
import dev.okr.testing.Answer;
import dev.okr.testing.AtOnce;
import dev.okr.testing.Browser;
import dev.okr.testing.HttpTest;
import dev.okr.testing.ManyObjectives;
import dev.okr.testing.Paths;
import dev.okr.testing.Requests;
import dev.okr.testing.TestDatabase;
import io.quarkus.test.junit.QuarkusTest;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The limits of an organisation, and organisations that exceeded them before they existed. */
@QuarkusTest
class LimitTest extends HttpTest {
    /** Before, these requests took ten seconds or never succeeded, on a quiet machine. */
    private static final Duration BOUNDED = Duration.ofSeconds(20);

    @Test
    void an_objective_has_at_most_100_key_results() {
        var objective = newObjective();
        insertKeyResults(objective, 99);
        newKeyResult(objective, 0, 10);
        requireReached(
                member.post(Paths.keyResults(objective), Requests.keyResult(0, 10)), "key-results-per-objective", 100);
    }

    @Test
    void a_key_result_has_at_most_100000_check_ins() {
        var objective = newObjective();
        var keyResult = newKeyResult(objective, 0, 10);
        var checkIn = newCheckIn(keyResult, 1);
        newCheckIn(keyResult, 1);
        batch(keyResult, 2).is(201);
        assertThat(checkIns(keyResult)).isEqualTo(4);
        setCheckIns(keyResult, 99_998);
        assertThat(batch(keyResult, 3).isProblem(422, "limit_reached").detail())
                .isEqualTo("/check_ins/2/key_result_id: The limit check-ins-per-key-result is 100000.");
        batch(keyResult, 2).is(201);
        requireReached(
                member.post(Paths.checkIns(keyResult), Requests.checkIn(1)), "check-ins-per-key-result", 100_000);
        member.put(Paths.checkIn(keyResult, checkIn), object("value", 7)).is(200);
        member.delete(Paths.checkIn(keyResult, checkIn)).is(200);
        newCheckIn(keyResult, 3);
        requireReached(
                member.post(Paths.checkIns(keyResult), Requests.checkIn(1)), "check-ins-per-key-result", 100_000);
    }

    @Test
    void check_ins_of_earlier_versions_count() {
        var keyResult = newKeyResult(newObjective(), 0, 10);
        insertCheckIns(99_999);
        newCheckIn(keyResult, 1);
        requireReached(
                member.post(Paths.checkIns(keyResult), Requests.checkIn(1)), "check-ins-per-key-result", 100_000);
        setCheckIns(keyResult, null);
        requireReached(batch(keyResult, 1), "/check_ins/0/key_result_id: ", "check-ins-per-key-result", 100_000);
    }

    @Test
    void check_ins_of_restored_objectives_count() {
        var objective = newObjective();
        var keyResult = newKeyResult(objective, 0, 10);
        newCheckIn(keyResult, 1);
        newCheckIn(keyResult, 2);
        member.delete("/v1/objectives/" + objective).is(200);
        restore(objective).is(201);
        newCheckIn(keyResult, 3);
        assertThat(checkIns(keyResult)).isEqualTo(3);
    }

    @Test
    void concurrent_check_ins_do_not_exceed_the_limit_of_a_key_result() throws Exception {
        var keyResult = newKeyResult(newObjective(), 0, 10);
        newCheckIn(keyResult, 1);
        setCheckIns(keyResult, 99_990);
        var answers = AtOnce.run(AtOnce.times(30, () -> member.post(Paths.checkIns(keyResult), Requests.checkIn(1))));
        assertThat(answers).filteredOn(answer -> answer.status() == 201).hasSize(10);
        assertThat(checkIns(keyResult)).isEqualTo(100_000);
    }

    private Answer batch(String keyResult, int count) {
        var each = Requests.with(Requests.checkIn(1), "key_result_id", keyResult);
        return member.post("/v1/check-ins/batch", object("check_ins", Collections.nCopies(count, each)));
    }

    private long checkIns(String keyResult) {
        return TestDatabase.count(
                "SELECT check_ins FROM key_result WHERE organization_id = ? AND id = ?",
                acme.id(),
                IdKind.KEY_RESULT.require(keyResult));
    }

    private void setCheckIns(String keyResult, @Nullable Integer count) {
        TestDatabase.execute(
                "UPDATE key_result SET check_ins = ?::integer WHERE organization_id = ? AND id = ?",
                count,
                acme.id(),
                IdKind.KEY_RESULT.require(keyResult));
    }

    @Test
    void an_objective_has_at_most_200_alignments_in_each_direction() {
        var cycle = newCycle();
        var objective = newObjective(cycle);
        var others = insertObjectives(cycle, 401);
        align("n, 0", objective, others, 200);
        align("0, n + 200", objective, others, 200);
        requireReached(align(objective, others.get(400)), "alignments-per-objective", 200);
        requireReached(align(others.get(400), objective), "alignments-per-objective", 200);
    }

    @Test
    void an_objective_has_at_most_100_contributing_children() {
        var cycle = newCycle();
        var objective = newObjective(cycle);
        var others = insertObjectives(cycle, 102);
        align("0, n", objective, others, 100);
        TestDatabase.execute(
                "UPDATE alignment SET alignment_type = 'contributes_to' WHERE organization_id = ?", acme.id());
        requireReached(contribute(objective, others.get(100)), "contributing-children", 100);
        align(objective, others.get(100)).is(201);
    }

    @Test
    void an_objective_has_at_most_1000_contributions_above() {
        var cycle = newCycle();
        var objective = newObjective(cycle);
        var others = insertObjectives(cycle, 65);
        // Each of the first 33 is above each of the next 30, and 29 of those are above the objective.
        align("(n - 1) / 30 + 1, (n - 1) % 30 + 34", objective, others, 33 * 30);
        align("n + 33, 0", objective, others, 29);
        TestDatabase.execute(
                "UPDATE alignment SET alignment_type = 'contributes_to', weight = 1 WHERE organization_id = ?",
                acme.id());
        requireReached(contribute(others.get(62), objective), "contributions-above", 1_000);
        contribute(others.get(63), objective).is(201);
        // The new alignment would be above the child of its child too.
        requireReached(contribute(others.get(62), others.get(63)), "contributions-above", 1_000);
        align(others.get(62), objective).is(201);
    }

    @Test
    void a_chain_has_at_most_50_objectives_and_10_that_contribute() {
        var cycle = newCycle();
        var chain = insertObjectives(cycle, 52);
        for (int i = 1; i < 9; i++) {
            contribute(chain.get(i - 1), chain.get(i)).is(201);
        }
        contribute(chain.get(8), chain.get(9)).is(201);
        requireReached(contribute(chain.get(9), chain.get(10)), "contribution-depth", 10);
        for (int i = 10; i < 50; i++) {
            align(chain.get(i - 1), chain.get(i)).is(201);
        }
        requireReached(align(chain.get(49), chain.get(50)), "alignment-depth", 50);
        requireReached(align(chain.get(51), chain.get(0)), "alignment-depth", 50);
        align(chain.get(48), chain.get(50)).is(201);
    }

    @Test
    void a_cycle_has_at_most_200000_objectives() {
        var full = newCycle();
        var objective = newObjective();
        TestDatabase.execute(
                "INSERT INTO cycle_totals VALUES (?, ?, 32, 200000, 0)", acme.id(), IdKind.CYCLE.require(full));
        requireReached(member.post("/v1/objectives", Requests.objective(full)), "objectives-per-cycle", 200_000);
        requireReached(
                member.put("/v1/objectives/" + objective, object("cycle_id", full)), "objectives-per-cycle", 200_000);
    }

    @Test
    void a_restored_objective_leaves_out_the_alignments_that_exceed_a_limit() {
        var cycle = newCycle();
        var parent = newObjective(cycle);
        var objective = newObjective(cycle);
        contribute(parent, objective).is(201);
        var kept = align(objective, newObjective(cycle)).is(201).id();
        member.delete("/v1/objectives/" + objective).is(200);
        var others = insertObjectives(cycle, 100);
        align("0, n", parent, others, 100);
        TestDatabase.execute(
                "UPDATE alignment SET alignment_type = 'contributes_to' WHERE organization_id = ?", acme.id());
        restore(objective).is(201);
        assertThat(viewer.get("/v1/alignments?objective_id=" + objective).ids()).containsExactly(kept);
    }

    @Test
    void a_restored_objective_leaves_out_the_alignments_with_too_many_contributions_above() {
        var cycle = newCycle();
        var objective = newObjective(cycle);
        var others = insertObjectives(cycle, 63);
        var kept = align(others.get(62), objective).is(201).id();
        align("n, 0", objective, others, 30);
        contributeAll(kept);
        member.delete("/v1/objectives/" + objective).is(200);
        // 33 contributions above each of the 30 parents.
        align("(n - 1) / 30 + 31, (n - 1) % 30 + 1", objective, others, 32 * 30);
        align("63, n", objective, others, 30);
        contributeAll(kept);
        restore(objective).is(201);
        assertThat(viewer.get("/v1/alignments?per_page=100&objective_id=" + objective)
                        .ids())
                .hasSize(30)
                .contains(kept);
    }

    private void contributeAll(String except) {
        TestDatabase.execute(
                "UPDATE alignment SET alignment_type = 'contributes_to', weight = 1"
                        + " WHERE organization_id = ? AND id <> ?",
                acme.id(),
                IdKind.ALIGNMENT.require(except));
    }

    @Test
    void a_restored_objective_leaves_out_the_alignments_that_make_a_chain_too_long() {
        var cycle = newCycle();
        var chain = insertObjectives(cycle, 49);
        var objective = newObjective(cycle);
        align(chain.getLast(), objective).is(201);
        align(objective, newObjective(cycle)).is(201);
        member.delete("/v1/objectives/" + objective).is(200);
        align("n, n + 1", objective, chain, 48);
        restore(objective).is(201);
        assertThat(viewer.get("/v1/alignments?objective_id=" + objective).ids()).hasSize(1);
    }

    @Test
    void an_objective_is_not_restored_into_a_full_cycle() {
        var cycle = newCycle();
        var objective = newObjective(cycle);
        member.delete("/v1/objectives/" + objective).is(200);
        TestDatabase.execute(
                "INSERT INTO cycle_totals VALUES (?, ?, 32, 200000, 0)", acme.id(), IdKind.CYCLE.require(cycle));
        requireReached(restore(objective), "objectives-per-cycle", 200_000);
        assertThat(viewer.get("/v1/deleted-objectives").ids()).containsExactly(objective);
    }

    @Test
    void concurrent_requests_do_not_exceed_the_limit_of_a_cycle() throws Exception {
        var cycle = newCycle();
        TestDatabase.execute(
                "INSERT INTO cycle_totals VALUES (?, ?, 32, 199990, 0)", acme.id(), IdKind.CYCLE.require(cycle));
        var answers = AtOnce.run(AtOnce.times(40, () -> member.post("/v1/objectives", Requests.objective(cycle))));
        assertThat(answers).filteredOn(answer -> answer.status() == 201).hasSize(10);
        assertThat(answers)
                .filteredOn(answer -> answer.status() != 201)
                .allSatisfy(answer -> requireReached(answer, "objectives-per-cycle", 200_000));
    }

    @Test
    void requests_that_wait_for_an_import_count_what_the_import_created() throws Exception {
        var cycle = newCycle();
        try (var clients = Executors.newVirtualThreadPerTaskExecutor();
                var imported = TestDatabase.connect();
                var changes = imported.createStatement()) {
            imported.setAutoCommit(false);
            var id = IdKind.CYCLE.require(cycle);
            changes.execute("SELECT 1 FROM cycle WHERE id = '%s' FOR UPDATE".formatted(id));
            changes.execute("INSERT INTO cycle_totals VALUES ('%s', '%s', 32, 200000, 0)".formatted(acme.id(), id));
            var answers = new ArrayList<Future<Answer>>();
            for (int i = 0; i < 5; i++) {
                answers.add(clients.submit(() -> member.post("/v1/objectives", Requests.objective(cycle))));
            }
            var deadline = Instant.now().plus(BOUNDED);
            while (TestDatabase.count("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'") < 2) {
                assertThat(Instant.now()).as("the requests wait").isBefore(deadline);
                Thread.sleep(10);
            }
            imported.commit();
            for (var answer : answers) {
                requireReached(answer.get(), "objectives-per-cycle", 200_000);
            }
        }
    }

    @Test
    void an_organisation_has_at_most_100_webhooks() {
        TestDatabase.execute("""
                INSERT INTO webhook (organization_id, id, url, events, active, secret_key_id, secret_ciphertext,
                    created_at, updated_at)
                SELECT ?, gen_random_uuid(), 'https://example.com', '{objective.created}', false, 'x', '', now(), now()
                FROM generate_series(1, 100)
                """, acme.id());
        var body = object("url", "http://127.0.0.1:9/hook", "events", List.of("alignment.deleted"));
        requireReached(admin.post("/v1/webhooks", body), "webhooks", 100);
    }

    @Test
    void a_person_has_at_most_20_valid_keys() {
        for (int i = 0; i < 19; i++) {
            acme.key(acme.memberUser().uuid());
        }
        var browser = Browser.signedIn(service, acme.memberUser().email());
        browser.submit(
                        "/settings/api-keys/new",
                        "/settings/api-keys",
                        "name",
                        "one more",
                        "scopes",
                        "read",
                        "expires",
                        "never")
                .is(422)
                .shows("api-keys-per-user is 20");
    }

    @Test
    void an_organisation_has_at_most_2000_teams_and_50000_users() {
        TestDatabase.execute(
                "INSERT INTO team SELECT ?, gen_random_uuid(), 'T' || n, now() FROM generate_series(1, 2000) n",
                acme.id());
        TestDatabase.execute("""
                INSERT INTO users (organization_id, id, email, name, role, created_at)
                SELECT ?, gen_random_uuid(), gen_random_uuid() || '@acme.test', 'U', 'viewer', now()
                FROM generate_series(1, 49997) n
                """, acme.id());
        var browser = Browser.signedIn(service, acme.adminUser().email());
        browser.submit("/settings/teams/new", "/settings/teams", "name", "one more")
                .is(422)
                .shows("teams is 2000");
        browser.submit(
                        "/settings/people/new",
                        "/settings/people",
                        "name",
                        "x",
                        "email",
                        UUID.randomUUID() + "@acme.test",
                        "role",
                        "member")
                .is(422)
                .shows("users is 50000");
    }

    @Test
    void an_older_chain_of_20000_alignments_takes_bounded_time() {
        var cycle = newCycle();
        var objective = newObjective(cycle);
        var chain = insertObjectives(cycle, 20_000);
        align("n, n + 1", objective, chain, 19_999);
        requireBounded(() -> requireReached(align(chain.getLast(), objective), "alignment-depth", 50));
        // The room is checked before the chains are read.
        align("20000, n", objective, chain, 200);
        requireReached(align(chain.getLast(), objective), "alignments-per-objective", 200);
    }

    @Test
    void an_older_objective_with_10000_key_results_can_be_deleted() {
        var objective = newObjective();
        insertKeyResults(objective, 10_000);
        TestDatabase.execute("ANALYZE key_result, key_result_words");
        requireBounded(() -> member.delete("/v1/objectives/" + objective).is(200));
        assertThat(TestDatabase.count("SELECT count(*) FROM key_result WHERE organization_id = ?", acme.id()))
                .isZero();
    }

    @Test
    void an_older_objective_with_20000_parents_can_be_deleted() {
        var cycle = newCycle();
        var objective = newObjective(cycle);
        var parents = insertObjectives(cycle, 20_000);
        align("n, 0", objective, parents, 20_000);
        TestDatabase.execute("ANALYZE alignment");
        requireBounded(() -> member.delete("/v1/objectives/" + objective).is(200));
        assertThat(TestDatabase.count("SELECT count(*) FROM alignment WHERE organization_id = ?", acme.id()))
                .isZero();
        assertThat(TestDatabase.count(
                        "SELECT count(*) FROM event WHERE organization_id = ? AND type = 'alignment.deleted'",
                        acme.id()))
                .isEqualTo(20_000);
    }

    /** All alignments are checked together. One by one, they would reach the deadline. */
    @Test
    void an_objective_with_400_alignments_on_many_chains_can_be_restored() {
        var cycle = newCycle();
        var objective = newObjective(cycle);
        var others = insertObjectives(cycle, 480);
        // Five layers of 48 objectives above, and five below. Each objective of a layer is above all of the next.
        var layers = "(n - 1) / 48 + %1$d, ((n - 1) / 48 / 48 + 1) * 48 + (n - 1) %% 48 + %1$d";
        align(layers.formatted(1), objective, others, 4 * 48 * 48);
        align(layers.formatted(241), objective, others, 4 * 48 * 48);
        align("n + 40, 0", objective, others, 200);
        align("0, n + 240", objective, others, 200);
        TestDatabase.execute("ANALYZE alignment");
        member.delete("/v1/objectives/" + objective).is(200);
        align(others.get(240), others.get(239)).is(201);

        requireBounded(() -> restore(objective).is(201));

        // The new alignment lets either its parent or its child be aligned with the objective, but not both.
        assertThat(TestDatabase.count(
                        "SELECT count(*) FROM alignment WHERE ? IN (parent_objective_id, child_objective_id)",
                        IdKind.OBJECTIVE.require(objective)))
                .isEqualTo(399);
    }

    @Test
    void an_objective_with_20000_check_ins_can_be_deleted() {
        var objective = newObjective();
        insertKeyResults(objective, 100);
        insertCheckIns(200);
        requireBounded(() -> member.delete("/v1/objectives/" + objective).is(200));
    }

    private static void requireBounded(Runnable request) {
        var start = Instant.now();
        request.run();
        assertThat(Duration.between(start, Instant.now())).isLessThan(BOUNDED);
    }

    private static void requireReached(Answer answer, String limit, int value) {
        requireReached(answer, "", limit, value);
    }

    private static void requireReached(Answer answer, String path, String limit, int value) {
        assertThat(answer.isProblem(422, "limit_reached").detail())
                .isEqualTo(path + "The limit %s is %d.".formatted(limit, value));
    }

    private Answer align(String parent, String child) {
        return member.post("/v1/alignments", Requests.alignment(parent, child));
    }

    private Answer restore(String objective) {
        return member.post("/v1/deleted-objectives/" + objective + "/restore", null);
    }

    private Answer contribute(String parent, String child) {
        var body = Requests.alignment(parent, child);
        body.put("alignment_type", "contributes_to");
        return member.post("/v1/alignments", body);
    }

    private void insertKeyResults(String objective, int count) {
        TestDatabase.execute(
                """
                INSERT INTO key_result (organization_id, id, objective_id, title, metric_type, start_value, current_value,
                    target_value, progress, owner_id, created_at, updated_at)
                SELECT ?, gen_random_uuid(), ?, 'K', 'number', 0, 0, 10, 0, ?, now(), now() FROM generate_series(1, ?)
                """,
                acme.id(),
                IdKind.OBJECTIVE.require(objective),
                acme.memberUser().uuid(),
                count);
    }

    /** @param each how many for each key result of the organisation */
    private void insertCheckIns(int each) {
        TestDatabase.execute("""
                INSERT INTO check_in (organization_id, id, key_result_id, value, author_id, created_at, updated_at)
                SELECT organization_id, gen_random_uuid(), id, 1, owner_id, now() - n * interval '1 second', now()
                FROM key_result CROSS JOIN generate_series(1, ?) n WHERE organization_id = ?
                """, each, acme.id());
        TestDatabase.execute("ANALYZE check_in");
    }

    /** The check reads the alignments above all objectives below the child. */
    @Test
    void an_alignment_is_refused_if_50000_are_above_the_objectives_below_its_child() {
        var cycle = newCycle();
        var child = newObjective(cycle);
        var others = ManyObjectives.insert(acme, cycle, 601);
        ManyObjectives.align(acme, List.of(IdKind.OBJECTIVE.require(child)), others.subList(0, 100));
        ManyObjectives.align(acme, others.subList(100, 601), others.subList(0, 100));
        contribute(newObjective(cycle), child).isProblem(409, "conflict");
    }

    /** Inserts objectives with the ids 1 to the count, and returns their ids. */
    private List<String> insertObjectives(String cycle, int count) {
        // The triggers of the previous version would add each objective to the totals of the cycle.
        TestDatabase.execute("SET okr.cycle_totals = 'program'");
        TestDatabase.execute("""
                INSERT INTO objective (organization_id, id, title, owner_id, cycle_id, progress, status, created_at,
                    updated_at)
                SELECT ?, ('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, 'O', ?, ?, 0, 'on_track', now(),
                    now()
                FROM generate_series(1, ?) n
                """, acme.id(), acme.memberUser().uuid(), IdKind.CYCLE.require(cycle), count);
        TestDatabase.execute("RESET okr.cycle_totals");
        return java.util.stream.IntStream.rangeClosed(1, count)
                .mapToObj(n -> IdKind.OBJECTIVE.format(new UUID(0x7000, 0x8000_0000_0000_0000L + n)))
                .toList();
    }

    /** @param ends the numbers of parent and child for each n; 0 is the given objective */
    private void align(String ends, String objective, List<String> others, int count) {
        var parts = ends.split(", ");
        var id = "CASE WHEN %s = 0 THEN ? ELSE ('00000000-0000-7000-8000-' || lpad(to_hex(%s), 12, '0'))::uuid END";
        TestDatabase.execute(
                """
                INSERT INTO alignment (organization_id, id, parent_objective_id, child_objective_id, alignment_type,
                    created_at, updated_at)
                SELECT ?, gen_random_uuid(), %s, %s, 'supports', now(), now() FROM generate_series(1, ?) n
                """.formatted(id.formatted(parts[0], parts[0]), id.formatted(parts[1], parts[1])),
                acme.id(),
                IdKind.OBJECTIVE.require(objective),
                IdKind.OBJECTIVE.require(objective),
                count);
    }
}
