package dev.okr.objectives;

import static dev.okr.testing.Json.object;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.okr.platform.ids.IdKind;
import dev.okr.testing.Answer;
import dev.okr.testing.AtOnce;
import dev.okr.testing.Events;
import dev.okr.testing.HttpTest;
import dev.okr.testing.Paths;
import dev.okr.testing.Requests;
import dev.okr.testing.TestDatabase;
import io.quarkus.test.junit.QuarkusTest;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

@QuarkusTest
class CarryOverTest extends HttpTest {
    private String from;
    private String to;

    @BeforeEach
    void createCycles() {
        from = newCycle();
        to = newCycle();
    }

    @Test
    void unfinished_objectives_are_copied_with_their_key_results() {
        var team = acme.team("Growth");
        var original = member.post(
                        "/v1/objectives",
                        Requests.with(
                                Requests.objective(from),
                                "description",
                                "They stay.",
                                "team_id",
                                team.id(),
                                "external_id",
                                "plan-7"))
                .is(201);
        var keyResult = newKeyResult(original.id(), 10, 20);
        newCheckIn(keyResult, 15);
        member.put(Paths.objective(original.id()), object("status", "behind")).is(200);
        var done = newObjective(from);
        newCheckIn(newKeyResult(done, 0, 10), 10);
        var events = new Events(service, admin);
        events.skip();

        var answer = carryOver("values", "keep").is(201);

        assertThat(answer.header("Location")).hasValue("/v1/objectives");
        var copies = list(answer);
        assertThat(copies).hasSize(1);
        var copy = copies.getFirst();
        assertThat(text(copy, "carried_over_from")).isEqualTo(original.id());
        assertThat(text(copy, "cycle_id")).isEqualTo(to);
        assertThat(text(copy, "title")).isEqualTo(original.text("title"));
        assertThat(text(copy, "description")).isEqualTo("They stay.");
        assertThat(text(copy, "team_id")).isEqualTo(team.id());
        assertThat(text(copy, "owner_id")).isEqualTo(acme.memberUser().id());
        assertThat(text(copy, "status")).isEqualTo("not_started");
        assertThat(copy.get("progress").decimalValue()).isZero();
        assertThat(copy.has("external_id")).isFalse();
        var copied = viewer.get(Paths.keyResults(text(copy, "id"))).data();
        assertThat(copied).hasSize(1);
        assertThat(copied.get(0).get("start_value").intValue()).isEqualTo(15);
        assertThat(copied.get(0).get("current_value").intValue()).isEqualTo(15);
        assertThat(copied.get(0).get("target_value").intValue()).isEqualTo(20);
        assertThat(copied.get(0).get("progress").decimalValue()).isZero();
        assertThat(viewer.get(Paths.checkIns(text(copied.get(0), "id"))).ids()).isEmpty();
        assertThat(viewer.get("/v1/cycles/" + to).number("objectives_count").intValue())
                .isOne();
        assertThat(viewer.get(Paths.objective(original.id())).number("progress"))
                .isEqualByComparingTo("0.5");
        var sent = events.next();
        assertThat(sent.stream().map(Events.Event::type)).containsExactly("objective.created", "key_result.created");
        assertThat(sent.getFirst().data()).isEqualTo(copy);
        assertThat(sent.getLast().data()).isEqualTo(copied.get(0));
        assertThat(viewer.get("/v1/objectives?q=trust&cycle_id=" + to).ids()).containsExactly(text(copy, "id"));
        assertThat(viewer.get("/v1/key-results?q=onboarded&cycle_id=" + to).ids())
                .containsExactly(text(copied.get(0), "id"));
    }

    @Test
    void keep_leaves_out_finished_key_results_and_restart_starts_all_again() {
        var objective = newObjective(from);
        newCheckIn(newKeyResult(objective, 0, 10), 10);
        newCheckIn(newKeyResult(objective, 4, 2), 3);
        var done = member.post(
                        Paths.keyResults(objective),
                        object(
                                "title",
                                "Pass the security audit",
                                "metric_type",
                                "boolean",
                                "start_value",
                                0,
                                "target_value",
                                1))
                .is(201)
                .id();
        var other = newCycle();
        var kept = list(carryOver("values", "keep").is(201)).getFirst();
        var restarted = list(admin.post(
                                path(from),
                                object("to", other, "values", "restart", "objective_ids", List.of(objective)))
                        .is(201))
                .getFirst();
        assertThat(starts(kept)).containsExactly(3, 0);
        assertThat(starts(restarted)).containsExactly(0, 4, 0);
        newCheckIn(done, 1);
        assertThat(starts(restarted)).containsExactly(0, 4, 0);
    }

    @Test
    void a_finished_objective_is_copied_only_if_it_is_named() {
        var done = newObjective(from);
        newCheckIn(newKeyResult(done, 0, 10), 10);
        assertThat(list(carryOver("values", "restart").is(201))).isEmpty();
        var copies = list(carryOver("values", "keep", "objective_ids", List.of(done, done))
                .is(201));
        assertThat(copies).hasSize(1);
        assertThat(starts(copies.getFirst())).isEmpty();
    }

    @Test
    void alignments_among_the_objectives_are_copied() {
        var parent = newObjective(from);
        var child = newObjective(from);
        var outside = newObjective();
        newAlignment(outside, parent);
        member.post(
                        "/v1/alignments",
                        Requests.with(Requests.alignment(parent, child), "alignment_type", "contributes_to"))
                .is(201);
        var copies = list(carryOver("values", "keep").is(201));
        var byOriginal = Map.of(
                text(copies.get(0), "carried_over_from"), text(copies.get(0), "id"),
                text(copies.get(1), "carried_over_from"), text(copies.get(1), "id"));
        var alignments = viewer.get("/v1/alignments?objective_id=" + byOriginal.get(child))
                .is(200)
                .data();
        assertThat(alignments).hasSize(1);
        assertThat(text(alignments.get(0), "parent_objective_id")).isEqualTo(byOriginal.get(parent));
        assertThat(text(alignments.get(0), "alignment_type")).isEqualTo("contributes_to");
        assertThat(viewer.get("/v1/alignments?objective_id=" + byOriginal.get(parent))
                        .ids())
                .hasSize(1);
        assertThat(viewer.get("/v1/alignments?objective_id=" + outside).ids()).hasSize(1);
    }

    @Test
    void an_alignment_is_copied_with_the_second_of_its_objectives() {
        var parent = newObjective(from);
        var child = newObjective(from);
        newAlignment(parent, child);
        var first = list(
                carryOver("values", "keep", "objective_ids", List.of(child)).is(201));
        assertThat(viewer.get("/v1/alignments").ids()).hasSize(1);
        var second = list(carryOver("values", "keep").is(201));
        assertThat(second).hasSize(1);
        var alignment = viewer.get("/v1/alignments").data().get(0);
        assertThat(text(alignment, "parent_objective_id")).isEqualTo(text(second.getFirst(), "id"));
        assertThat(text(alignment, "child_objective_id")).isEqualTo(text(first.getFirst(), "id"));
    }

    @Test
    void weights_are_copied_and_progress_rolls_up_among_the_copies() {
        var parent = newObjective(from);
        var first = newObjective(from);
        var second = newObjective(from);
        contribute(parent, first, 3);
        contribute(parent, second, 1);
        var weighted = member.post(Paths.keyResults(first), Requests.with(Requests.keyResult(0, 10), "weight", 2))
                .is(201);
        newKeyResult(second, 0, 10);
        var copyOfFirst = text(
                list(carryOver("values", "keep", "objective_ids", List.of(first))
                                .is(201))
                        .getFirst(),
                "id");
        var copied = viewer.get(Paths.keyResults(copyOfFirst)).data().get(0);
        assertThat(copied.get("weight").decimalValue()).isEqualByComparingTo(weighted.number("weight"));
        newCheckIn(text(copied, "id"), 8);

        var rest = list(carryOver("values", "keep").is(201));

        var copy = rest.stream()
                .filter(each -> text(each, "carried_over_from").equals(parent))
                .findFirst()
                .orElseThrow();
        var copyOfParent = text(copy, "id");
        // (3 * 0.8 + 1 * 0) / 4
        assertThat(copy.get("progress").decimalValue()).isEqualByComparingTo("0.6");
        assertThat(text(copy, "updated_at"))
                .isEqualTo(viewer.get(Paths.objective(copyOfParent)).text("updated_at"));
        assertThat(viewer.get(Paths.objective(copyOfParent)).number("progress")).isEqualByComparingTo("0.6");
        assertThat(viewer.get("/v1/cycles/" + to).number("overall_progress")).isEqualByComparingTo("0.4667");
        newCheckIn(text(copied, "id"), 10);
        assertThat(viewer.get(Paths.objective(copyOfParent)).number("progress")).isEqualByComparingTo("0.75");
    }

    private void contribute(String parent, String child, int weight) {
        member.post(
                        "/v1/alignments",
                        Requests.with(
                                Requests.alignment(parent, child),
                                "alignment_type",
                                "contributes_to",
                                "weight",
                                weight))
                .is(201);
    }

    @Test
    void copied_alignments_close_no_loop_with_alignments_of_earlier_copies() {
        var y = newObjective(from);
        var a = newObjective(from);
        var c = newObjective(from);
        var x = newObjective(from);
        newAlignment(y, a);
        newAlignment(c, x);
        newAlignment(a, c);
        var earlier = copies(x, y);
        newAlignment(earlier.get(x), earlier.get(y));

        var later = copies(a, c);

        assertThat(parents(later.get(c))).containsExactly(later.get(a));
        assertThat(parents(later.get(a))).containsExactly(earlier.get(y));
        assertThat(parents(earlier.get(x))).isEmpty();
    }

    @Test
    void copied_alignments_make_no_chain_too_long_with_those_of_earlier_copies() {
        var x = newObjective(from);
        var a = newObjective(from);
        var b = newObjective(from);
        contribute(x, a, 1);
        contribute(a, b, 1);
        var copyOfX = copies(x).get(x);
        var below = copyOfX;
        for (int i = 0; i < 8; i++) {
            var above = newObjective();
            contribute(above, below, 1);
            below = above;
        }

        var later = copies(a, b);

        // With another parent, the chain would have 11 objectives.
        assertThat(parents(later.get(b))).containsExactly(later.get(a));
        assertThat(parents(later.get(a))).isEmpty();
    }

    /** Carries objectives over. Returns the copies by their originals. */
    private Map<String, String> copies(String... originals) {
        var answer = carryOver("values", "keep", "objective_ids", List.of(originals));
        return list(answer.is(201)).stream()
                .collect(Collectors.toMap(copy -> text(copy, "carried_over_from"), copy -> text(copy, "id")));
    }

    private List<String> parents(String child) {
        var alignments = viewer.get("/v1/alignments?objective_id=" + child).is(200);
        return list(alignments).stream()
                .filter(each -> text(each, "child_objective_id").equals(child))
                .map(each -> text(each, "parent_objective_id"))
                .toList();
    }

    @Test
    void nothing_is_copied_twice() {
        newObjective(from);
        newObjective(from);
        assertThat(list(carryOver("values", "keep").is(201))).hasSize(2);
        newObjective(from);
        assertThat(list(carryOver("values", "keep").is(201))).hasSize(1);
        assertThat(list(carryOver("values", "restart").is(201))).isEmpty();
        assertThat(viewer.get("/v1/objectives?cycle_id=" + to).ids()).hasSize(3);
    }

    @RepeatedTest(5)
    void requests_at_the_same_moment_copy_nothing_twice() throws Exception {
        for (int i = 0; i < 10; i++) {
            newKeyResult(newObjective(from), 0, 10);
        }
        Callable<Answer> request = () -> carryOver("values", "keep");
        var requests = new ArrayList<>(AtOnce.times(4, request));
        requests.add(() -> member.post("/v1/objectives", Requests.objective(to)));

        var answers = AtOnce.run(requests);

        assertThat(answers).allMatch(answer -> answer.status() == 201, "201");
        assertThat(answers.subList(0, 4).stream()
                        .mapToInt(answer -> list(answer).size())
                        .sum())
                .isEqualTo(10);
        assertThat(viewer.get("/v1/objectives?cycle_id=" + to).ids()).hasSize(11);
        assertThat(viewer.get("/v1/cycles/" + to).number("objectives_count").intValue())
                .isEqualTo(11);
    }

    @Test
    void a_cycle_has_only_one_copy_of_an_objective() {
        var objective = newObjective(from);
        var copy = text(list(carryOver("values", "keep").is(201)).getFirst(), "id");
        var elsewhere = newCycle();
        member.put(Paths.objective(copy), object("cycle_id", elsewhere)).is(200);
        var second = text(list(carryOver("values", "keep").is(201)).getFirst(), "id");
        assertThat(member.put(Paths.objective(copy), object("cycle_id", to))
                        .isProblem(409, "conflict")
                        .detail())
                .contains(second);
        member.delete(Paths.objective(second)).is(200);
        member.put(Paths.objective(copy), object("cycle_id", to)).is(200);
        assertThat(admin.post("/v1/deleted-objectives/" + second + "/restore", null)
                        .isProblem(409, "conflict")
                        .detail())
                .contains(copy);
        assertThat(viewer.get(Paths.objective(copy)).text("carried_over_from")).isEqualTo(objective);
    }

    @Test
    void a_closed_cycle_can_be_carried_over_but_not_to() {
        var closed = newCompletedCycle();
        newObjective(closed);
        admin.post("/v1/cycles/" + closed + "/close", null).is(200);
        assertThat(list(admin.post(path(closed), object("to", to, "values", "keep"))
                        .is(201)))
                .hasSize(1);
        newObjective(from);
        admin.post(path(from), object("to", closed, "values", "keep")).isProblem(409, "cycle_closed");
    }

    @Test
    void a_deactivated_owner_is_replaced_by_the_caller() {
        var leaving = acme.user("Alan Turing", "member");
        var objective = leaving.api()
                .post("/v1/objectives", Requests.objective(from))
                .is(201)
                .id();
        leaving.api()
                .post(Paths.keyResults(objective), Requests.keyResult(0, 10))
                .is(201);
        admin.put("/v1/users/" + leaving.id(), object("active", false)).is(200);
        var copy = list(carryOver("values", "keep").is(201)).getFirst();
        assertThat(text(copy, "owner_id")).isEqualTo(acme.adminUser().id());
        var keyResult = viewer.get(Paths.keyResults(text(copy, "id"))).data().get(0);
        assertThat(text(keyResult, "owner_id")).isEqualTo(acme.adminUser().id());
    }

    @Test
    void invalid_requests_name_the_field() {
        var objective = newObjective(from);
        var outside = newObjective();
        carryOver().isInvalid("/values required");
        admin.post(path(from), object("values", "keep")).isInvalid("/to required");
        carryOver("values", "both").isInvalid("/values invalid_value");
        carryOver("values", "keep", "other", 1).isInvalid("/other unknown_field");
        carryOver("values", "keep", "to", from).isInvalid("/to equals_source");
        carryOver("values", "keep", "to", "cyc_unknown").isInvalid("/to unknown_reference");
        carryOver("values", "keep", "objective_ids", List.of()).isInvalid("/objective_ids too_short");
        carryOver("values", "keep", "objective_ids", "all").isInvalid("/objective_ids invalid_type");
        carryOver("values", "keep", "objective_ids", List.of(objective, outside, 7))
                .isInvalid("/objective_ids/1 unknown_reference", "/objective_ids/2 invalid_type");
        carryOver("values", "keep", "objective_ids", Collections.nCopies(1_001, objective))
                .isInvalid("/objective_ids too_long");
        assertThat(viewer.get("/v1/objectives?cycle_id=" + to).ids()).isEmpty();
    }

    @Test
    void only_admins_carry_over() {
        newObjective(from);
        member.post(path(from), object("to", to, "values", "keep")).isProblem(403, "forbidden");
        var other = organization();
        other.admin().post(path(from), object("to", to, "values", "keep")).isNotFound();
        var theirs = other.admin().post("/v1/cycles", Requests.uniqueCycle()).id();
        carryOver("values", "keep", "to", theirs).isInvalid("/to unknown_reference");
        var objective = other.admin()
                .post("/v1/objectives", Requests.objective(theirs))
                .is(201)
                .id();
        carryOver("values", "keep", "objective_ids", List.of(objective))
                .isInvalid("/objective_ids/0 unknown_reference");
    }

    @Test
    void a_repeated_request_with_a_key_gets_the_same_response() {
        newObjective(from);
        var once = admin.header("Idempotency-Key", "carry-over-1");
        var body = object("to", to, "values", "keep");
        var first = once.post(path(from), body).is(201);
        assertThat(once.post(path(from), body).is(201).text()).isEqualTo(first.text());
    }

    @Test
    void at_most_1000_objectives_are_copied_at_once() {
        insertObjectives(1_000, from);
        var one = newObjective(from);
        carryOver("values", "keep").isInvalid("/objective_ids too_long");
        assertThat(list(carryOver("values", "keep", "objective_ids", List.of(one))
                        .is(201)))
                .hasSize(1);
        assertThat(list(carryOver("values", "keep").is(201))).hasSize(1_000);
        assertThat(viewer.get("/v1/cycles/" + to).number("objectives_count").intValue())
                .isEqualTo(1_001);
    }

    @Test
    void alignments_that_cannot_be_copied_do_not_count() {
        var other = newCycle();
        insertObjectives(101, from);
        insertObjectives(100, other);
        align(other, from, "true");
        var copies = list(carryOver("values", "keep").is(201));
        assertThat(copies).hasSize(101);
        assertThat(viewer.get("/v1/alignments?objective_id=" + text(copies.getFirst(), "id"))
                        .ids())
                .isEmpty();
    }

    @Test
    void objectives_below_very_many_alignments_are_not_copied() {
        var parent = newObjective(from);
        newAlignment(parent, newObjective(from));
        newAlignment(parent, newObjective(from));
        carryOver("values", "keep", "objective_ids", List.of(parent)).is(201);
        var other = newCycle();
        insertObjectives(202, other);
        align(other, other, "p.id < c.id");
        align(other, to, "true");
        assertThat(carryOver("values", "keep").isProblem(409, "conflict").detail())
                .isEqualTo("The alignments are connected with more than 50,000 others.");
        assertThat(viewer.get("/v1/objectives?cycle_id=" + to).ids()).hasSize(1);

        // Alignments without room are left out before the others are read.
        insertObjectives(200, to);
        align(to, to, "p.carried_over_from IS NOT NULL AND c.carried_over_from IS NULL");
        assertThat(list(carryOver("values", "keep").is(201))).hasSize(2);
    }

    private void align(String parents, String children, String condition) {
        TestDatabase.execute(
                """
                INSERT INTO alignment (organization_id, id, parent_objective_id, child_objective_id, alignment_type,
                    weight, created_at, updated_at)
                SELECT p.organization_id, gen_random_uuid(), p.id, c.id, 'supports', 1, now(), now()
                FROM objective p JOIN objective c ON c.organization_id = p.organization_id
                WHERE p.organization_id = ? AND p.cycle_id = ? AND c.cycle_id = ? AND %s
                """.formatted(condition), acme.id(), IdKind.CYCLE.require(parents), IdKind.CYCLE.require(children));
    }

    private void insertObjectives(int count, String cycle) {
        TestDatabase.execute(
                """
                INSERT INTO objective (organization_id, id, cycle_id, owner_id, title, progress, status, created_at,
                    updated_at)
                SELECT ?, gen_random_uuid(), ?, ?, 'Objective ' || n, 0, 'on_track', now(), now()
                FROM generate_series(1, ?) n
                """, acme.id(), IdKind.CYCLE.require(cycle), acme.memberUser().uuid(), count);
    }

    /** @param changes fields to add to a request with the target */
    private Answer carryOver(Object... changes) {
        return admin.post(path(from), Requests.with(object("to", to), changes));
    }

    private List<Integer> starts(JsonNode objective) {
        var keyResults = viewer.get(Paths.keyResults(text(objective, "id"))).data();
        var starts = new ArrayList<Integer>();
        keyResults.forEach(
                keyResult -> starts.addFirst(keyResult.get("start_value").intValue()));
        return starts;
    }

    private static List<JsonNode> list(Answer answer) {
        return StreamSupport.stream(answer.data().spliterator(), false).toList();
    }

    private static String text(JsonNode resource, String field) {
        return resource.required(field).textValue();
    }

    private static String path(String cycle) {
        return "/v1/cycles/" + cycle + "/carry-over";
    }
}
