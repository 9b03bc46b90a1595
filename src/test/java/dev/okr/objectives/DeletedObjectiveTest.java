package dev.okr.objectives;

import static dev.okr.testing.Json.object;
import static dev.okr.testing.Requests.with;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.okr.platform.ids.IdKind;
import dev.okr.testing.Answer;
import dev.okr.testing.Api;
import dev.okr.testing.AtOnce;
import dev.okr.testing.Events;
import dev.okr.testing.HttpTest;
import dev.okr.testing.Paths;
import dev.okr.testing.Requests;
import dev.okr.testing.StrangeIds;
import dev.okr.testing.TestDatabase;
import io.quarkus.test.junit.QuarkusTest;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

/** Deleted objectives, and how they return. */
@QuarkusTest
class DeletedObjectiveTest extends HttpTest {
    private static final String DELETED = "/v1/deleted-objectives";
    private static final Duration MAX_WAIT = Duration.ofSeconds(10);

    private String cycle;

    @BeforeEach
    void createCycle() {
        cycle = newCycle();
    }

    @Test
    void a_deleted_objective_returns_with_everything_that_it_had() {
        var team = acme.team("Growth");
        var objective = create(
                "/v1/objectives",
                with(Requests.objective(cycle), "description", "Why", "team_id", team.id(), "external_id", "plan-7"));
        var first = create(Paths.keyResults(objective), with(Requests.keyResult(0, 10), "external_id", "kr-7"));
        var second = newKeyResult(objective, 4, 2);
        create(Paths.checkIns(first), object("value", 5, "note", "Good", "confidence", 7, "external_id", "ci-7"));
        create(Paths.checkIns(first), object("value", 1, "recorded_at", "2024-01-01T00:00:00Z"));
        admin.put(Paths.keyResult(objective, second), object("current_value", 3))
                .is(200);
        newAlignment(newObjective(cycle), objective);
        newAlignment(objective, newObjective(cycle));
        acme.backdate();
        var before = everything(objective, first, second);
        var inCycle = viewer.get("/v1/cycles/" + cycle).data();

        member.delete(Paths.objective(objective)).is(200);
        for (var path : List.of(Paths.objective(objective), "/v1/key-results/" + first, Paths.checkIns(first))) {
            viewer.get(path).isNotFound();
        }
        assertThat(viewer.get("/v1/objectives?external_id=plan-7").ids()).isEmpty();
        assertThat(viewer.get("/v1/cycles/" + cycle).number("objectives_count")).isEqualByComparingTo("2");

        var restored = member.post(DELETED + '/' + objective + "/restore", null).is(201);
        assertThat(restored.header("Location")).hasValue(Paths.objective(objective));
        assertThat(restored.header("ETag"))
                .isEqualTo(viewer.get(Paths.objective(objective)).header("ETag"));
        assertThat(restored.data())
                .isEqualTo(
                        viewer.get("/v1/objectives?external_id=plan-7").data().get(0));
        assertThat(restored.text("updated_at")).isGreaterThan(restored.text("created_at"));
        assertThat(everything(objective, first, second)).isEqualTo(before);
        assertThat(viewer.get("/v1/cycles/" + cycle).data()).isEqualTo(inCycle);
        assertThat(viewer.get(DELETED).ids()).isEmpty();
        assertThat(remaining(objective)).isZero();
    }

    /** What the API shows of an objective and below it, without the time of its last change. */
    private Map<String, JsonNode> everything(String objective, String... keyResults) {
        var seen = new LinkedHashMap<String, JsonNode>();
        ObjectNode shown = viewer.get(Paths.objective(objective)).is(200).data().deepCopy();
        shown.remove("updated_at");
        seen.put("objective", shown);
        seen.put("key results", viewer.get(Paths.keyResults(objective)).data());
        seen.put("alignments", viewer.get("/v1/alignments").data());
        for (var keyResult : keyResults) {
            seen.put(
                    keyResult, viewer.get(Paths.keyResult(objective, keyResult)).data());
            seen.put("of " + keyResult, viewer.get(Paths.checkIns(keyResult)).data());
        }
        return seen;
    }

    @Test
    void a_restored_objective_can_be_used_deleted_and_restored_again() {
        var objective = newObjective(cycle);
        var keyResult = newKeyResult(objective, 0, 10);
        newCheckIn(keyResult, 5);
        for (int i = 6; i < 9; i++) {
            delete(objective);
            restore(objective).is(201);
            newCheckIn(keyResult, i);
            assertThat(viewer.get(Paths.objective(objective)).number("progress"))
                    .isEqualByComparingTo("0." + i);
            assertThat(viewer.get("/v1/cycles/" + cycle).number("overall_progress"))
                    .isEqualByComparingTo("0." + i);
        }
        assertThat(viewer.get(Paths.checkIns(keyResult)).ids()).hasSize(4);
    }

    @Test
    void the_list_shows_what_was_deleted_last_deleted_first() {
        var first = newObjective(cycle);
        var second = newObjective(cycle);
        newCheckIn(newKeyResult(second, 0, 10), 5);
        newCheckIn(newKeyResult(second, 0, 10), 5);
        newAlignment(first, second);
        delete(second);
        admin.put(Paths.objective(first), object("title", "Gone")).is(200);
        admin.delete(Paths.objective(first)).is(200);
        newObjective(cycle);

        var list = viewer.get(DELETED).is(200);
        assertThat(list.ids()).containsExactly(first, second);
        assertThat(list.data().get(0).toString()).isEqualTo("""
                        {"id":"%s","title":"Gone","deleted_at":"%s","deleted_by":"%s","key_results_count":0,\
                        "check_ins_count":0,"alignments_count":0}""".formatted(
                        first,
                        list.data().get(0).get("deleted_at").textValue(),
                        acme.adminUser().id()));
        assertThat(Instant.parse(list.data().get(0).get("deleted_at").textValue()))
                .isBetween(Instant.now().minusSeconds(60), Instant.now().plusSeconds(5));
        var counted = list.data().get(1);
        assertThat(counted.get("deleted_by").textValue())
                .isEqualTo(acme.memberUser().id());
        assertThat(counted.get("key_results_count").intValue()).isEqualTo(2);
        assertThat(counted.get("check_ins_count").intValue()).isEqualTo(2);
        assertThat(counted.get("alignments_count").intValue()).isOne();
    }

    @Test
    void the_list_has_pages_and_cursors() {
        var deleted = new ArrayList<String>();
        for (int i = 0; i < 5; i++) {
            deleted.addFirst(newObjective(cycle));
            delete(deleted.getFirst());
        }
        var page = viewer.get(DELETED + "?per_page=2&page=2").is(200);
        assertThat(page.ids()).isEqualTo(deleted.subList(2, 4));
        assertThat(page.meta().get("total").intValue()).isEqualTo(5);
        assertThat(Events.export(viewer, DELETED + "?per_page=2"))
                .extracting(each -> each.get("id").textValue())
                .isEqualTo(deleted);
        viewer.get(DELETED + "?sort=title").isMalformed();
        viewer.get(DELETED + "?cursor=x").isMalformed();
    }

    @Test
    void who_may_delete_an_objective_may_restore_it() {
        var team = acme.team("Growth");
        var lead = acme.user("Katherine Johnson", "member");
        var teammate = acme.user("Mary Jackson", "member");
        var viewingLead = acme.user("Annie Easley", "viewer");
        acme.join(team, lead, "lead");
        acme.join(team, teammate, "member");
        acme.join(team, viewingLead, "lead");
        var objective = create("/v1/objectives", with(Requests.objective(cycle), "team_id", team.id()));
        for (var allowed : List.of(member, lead.api(), admin)) {
            delete(objective);
            for (var other : List.of(teammate.api(), viewingLead.api(), viewer)) {
                restore(other, objective).isProblem(403, "forbidden");
            }
            restore(acme.scoped("read", "webhooks"), objective).isProblem(403, "insufficient_scope");
            acme.scoped("write").get(DELETED).isProblem(403, "insufficient_scope");
            restore(allowed, objective).is(201);
        }
    }

    @Test
    void another_organisation_sees_and_restores_nothing() {
        var objective = newObjective(cycle);
        delete(objective);
        var other = organization();
        assertThat(other.admin().get(DELETED).is(200).ids()).isEmpty();
        restore(other.admin(), objective).isNotFound();
        restore(objective).is(201);
    }

    @Test
    void only_deleted_objectives_are_found() {
        var objective = newObjective(cycle);
        restore(objective).isNotFound();
        delete(objective);
        for (var id : StrangeIds.like(IdKind.OBJECTIVE, objective)) {
            restore(id).isNotFound();
        }
        restore(objective).is(201);
        restore(objective).isNotFound();
    }

    /** An import can create such a copy. */
    @Test
    void an_objective_whose_id_is_the_external_id_of_another_one_is_a_conflict() {
        var objective = create("/v1/objectives", Requests.objective(cycle));
        delete(objective);
        var copy = create("/v1/objectives", Requests.objective(cycle));
        TestDatabase.execute(
                "UPDATE objective SET external_id = ? WHERE organization_id = ? AND id = ?",
                objective,
                acme.id(),
                IdKind.OBJECTIVE.require(copy));
        requireConflict(objective, copy, objective);
    }

    @Test
    void an_external_id_that_another_resource_has_is_a_conflict() {
        var objective = create("/v1/objectives", with(Requests.objective(cycle), "external_id", "same"));
        var keyResult = create(Paths.keyResults(objective), with(Requests.keyResult(0, 1), "external_id", "same"));
        create(Paths.checkIns(keyResult), with(Requests.checkIn(1), "external_id", "same"));
        delete(objective);

        var other = create("/v1/objectives", with(Requests.objective(cycle), "external_id", "same"));
        requireConflict(objective, other, "same");
        admin.put(Paths.objective(other), object("external_id", null)).is(200);
        var otherKeyResult = create(Paths.keyResults(other), with(Requests.keyResult(0, 1), "external_id", "same"));
        requireConflict(objective, otherKeyResult, "same");
        admin.put(Paths.keyResult(other, otherKeyResult), object("external_id", null))
                .is(200);
        var otherCheckIn = create(Paths.checkIns(otherKeyResult), with(Requests.checkIn(1), "external_id", "same"));
        requireConflict(objective, otherCheckIn, "same");
        admin.delete(Paths.checkIn(otherKeyResult, otherCheckIn)).is(200);

        var stranger = organization();
        var theirs = stranger.admin().post("/v1/cycles", Requests.cycle()).id();
        stranger.admin()
                .post("/v1/objectives", with(Requests.objective(theirs), "external_id", "same"))
                .is(201);
        assertThat(restore(objective).is(201).text("external_id")).isEqualTo("same");
    }

    @Test
    void a_cycle_or_team_that_no_longer_exists_is_a_conflict() {
        var team = acme.team("Growth");
        var objective = create("/v1/objectives", with(Requests.objective(cycle), "team_id", team.id()));
        delete(objective);
        TestDatabase.execute("DELETE FROM team WHERE organization_id = ? AND id = ?", acme.id(), team.uuid());
        requireConflict(objective, team.id());
        admin.delete("/v1/cycles/" + cycle).is(200);
        requireConflict(objective, team.id(), cycle);
    }

    @Test
    void an_objective_with_too_many_check_ins_is_a_conflict() {
        var objective = newObjective(cycle);
        delete(objective);
        setCheckIns(objective, DeletedObjective.MAX_RESTORED_CHECK_INS + 1);
        requireConflict(objective, "more than 100,000 check-ins");
        setCheckIns(objective, DeletedObjective.MAX_RESTORED_CHECK_INS);
        restore(objective).is(201);
    }

    @Test
    void an_objective_with_too_many_check_ins_is_deleted_without_a_copy_of_them() {
        var objective = newObjective(cycle);
        var keyResult = create("/v1/objectives/%s/key-results".formatted(objective), Requests.keyResult(0, 10));
        int count = DeletedObjective.MAX_RESTORED_CHECK_INS + 1;
        TestDatabase.execute(
                "INSERT INTO check_in (organization_id, id, key_result_id, author_id, value, created_at, recorded_at,"
                        + " updated_at) SELECT ?, gen_random_uuid(), ?, ?, 1, at, at, at FROM generate_series(1, ?) n,"
                        + " LATERAL (SELECT timestamptz '2026-01-01' + n * interval '1 second') t (at)",
                acme.id(),
                IdKind.KEY_RESULT.require(keyResult),
                acme.adminUser().uuid(),
                count);
        delete(objective);
        assertThat(TestDatabase.count(
                        "SELECT check_ins_count FROM deleted_objective WHERE organization_id = ?", acme.id()))
                .isEqualTo(count);
        assertThat(TestDatabase.count("SELECT count(*) FROM deleted_check_in WHERE organization_id = ?", acme.id()))
                .isZero();
        requireConflict(objective, "more than 100,000 check-ins");
    }

    private void setCheckIns(String objective, int count) {
        TestDatabase.execute(
                "UPDATE deleted_objective SET check_ins_count = ? WHERE organization_id = ? AND id = ?",
                count,
                acme.id(),
                uuid(objective));
    }

    @Test
    void a_deactivated_owner_keeps_the_objective() {
        var owner = acme.user("Katherine Johnson", "member");
        var objective = create("/v1/objectives", with(Requests.objective(cycle), "owner_id", owner.id()));
        delete(admin, objective);
        TestDatabase.execute(
                "UPDATE users SET deactivated_at = now() WHERE organization_id = ? AND id = ?",
                acme.id(),
                owner.uuid());
        assertThat(restore(admin, objective).is(201).text("owner_id")).isEqualTo(owner.id());
    }

    @Test
    void an_alignment_that_would_now_close_a_loop_is_left_out() {
        var objective = newObjective(cycle);
        var parent = newObjective(cycle);
        var child = newObjective(cycle);
        var toParent = newAlignment(parent, objective);
        newAlignment(objective, child);
        delete(objective);
        var across = newAlignment(child, parent);

        restore(objective).is(201);

        assertThat(viewer.get("/v1/alignments").ids()).containsExactlyInAnyOrder(toParent, across);
    }

    @Test
    void an_alignment_returns_with_the_second_of_two_deleted_objectives() {
        var parent = newObjective(cycle);
        var child = newObjective(cycle);
        var alignment = newAlignment(parent, child);
        for (var order : List.of(List.of(parent, child), List.of(child, parent))) {
            order.forEach(this::delete);
            restore(order.getFirst()).is(201);
            assertThat(viewer.get("/v1/alignments").ids()).isEmpty();
            restore(order.getLast()).is(201);
            assertThat(viewer.get("/v1/alignments").ids()).containsExactly(alignment);
        }
    }

    @Test
    void a_restoration_sends_events() {
        var objective = newObjective(cycle);
        var first = newKeyResult(objective, 0, 10);
        var second = newKeyResult(objective, 0, 10);
        newCheckIn(first, 5);
        var alignment = newAlignment(newObjective(cycle), objective);
        delete(objective);
        var events = new Events(service, admin);
        events.skip();
        restore(objective).is(201);
        var sent = events.next();
        assertThat(sent)
                .extracting(Events.Event::type)
                .containsExactly(
                        "objective.restored", "key_result.restored", "key_result.restored", "alignment.created");
        assertThat(sent)
                .extracting(event -> event.data().get("id").textValue())
                .containsExactly(objective, first, second, alignment);
        assertThat(sent)
                .extracting(Events.Event::actor)
                .containsOnly(acme.memberUser().id());
        assertThat(sent.getFirst().data())
                .isEqualTo(viewer.get("/v1/objectives?per_page=100").data().get(1));
        assertThat(viewer.get("/v1/key-results").data()).contains(sent.get(1).data());
        assertThat(sent.getLast().data())
                .isEqualTo(viewer.get("/v1/alignments").data().get(0));
        restore(objective).isNotFound();
        assertThat(events.next()).isEmpty();
    }

    @Test
    void a_repeated_request_gets_the_same_response() {
        var objective = newObjective(cycle);
        delete(objective);
        var api = member.header("Idempotency-Key", "once");
        var first = restore(api, objective).is(201);
        var again = restore(api, objective).is(201);
        assertThat(again.header("Idempotency-Replayed")).hasValue("true");
        assertThat(again.text()).isEqualTo(first.text());
    }

    @Test
    void after_30_days_an_objective_cannot_be_restored() throws Exception {
        var objective = newObjective(cycle);
        var other = newObjective(cycle);
        newCheckIn(newKeyResult(objective, 0, 10), 5);
        newAlignment(other, objective);
        delete(objective);
        setAge(objective, "29 days 23 hours");
        assertThat(viewer.get(DELETED).ids()).containsExactly(objective);
        setAge(objective, "30 days 1 minute");
        assertThat(viewer.get(DELETED).ids()).isEmpty();
        restore(objective).isNotFound();

        delete(other);
        setAge(objective, "32 days");
        var deadline = Instant.now().plus(MAX_WAIT);
        while (remaining(objective) > 0) {
            assertThat(Instant.now()).isBefore(deadline);
            Thread.sleep(50);
        }
        restore(other).is(201);
        assertThat(viewer.get("/v1/alignments").ids()).isEmpty();
    }

    @Test
    void a_column_of_a_restored_row_is_never_lost() {
        for (var table : List.of(Objective.TABLE, KeyResult.TABLE, CheckIn.TABLE, Alignment.TABLE)) {
            var columns = new ArrayList<>(table.columns());
            columns.add("organization_id");
            // They follow from the restored alignments, from the cycle and from the restored check-ins.
            columns.addAll(List.of("rolls_up", "closed", "check_ins"));
            assertThat(TestDatabase.count(
                            "SELECT count(*) FROM information_schema.columns WHERE table_schema = current_schema()"
                                    + " AND table_name = ? AND column_name <> ALL (?)",
                            table.name(),
                            columns.toArray(String[]::new)))
                    .as("columns of %s that no deletion copies", table.name())
                    .isZero();
        }
    }

    private void setAge(String objective, String age) {
        TestDatabase.execute(
                "UPDATE deleted_objective SET deleted_at = " + TestDatabase.shifted("now()", "- interval '" + age + "'")
                        + " WHERE organization_id = ? AND id = ?",
                acme.id(),
                uuid(objective));
    }

    private long remaining(String objective) {
        return TestDatabase.count(
                        "SELECT count(*) FROM deleted_objective WHERE organization_id = ? AND id = ?",
                        acme.id(),
                        uuid(objective))
                + TestDatabase.count("SELECT count(*) FROM deleted_check_in WHERE organization_id = ?", acme.id())
                + TestDatabase.count("SELECT count(*) FROM deleted_alignment WHERE organization_id = ?", acme.id());
    }

    private static UUID uuid(String objective) {
        return IdKind.OBJECTIVE.parse(objective).orElseThrow();
    }

    @RepeatedTest(3)
    void of_concurrent_requests_one_restores_the_objective() throws Exception {
        var objective = newObjective(cycle);
        newCheckIn(newKeyResult(objective, 0, 10), 5);
        delete(objective);
        var answers = AtOnce.run(AtOnce.times(8, () -> restore(objective)));
        assertThat(answers).extracting(Answer::status).containsOnlyOnce(201).containsOnly(201, 404);
        assertThat(viewer.get("/v1/cycles/" + cycle).number("objectives_count")).isEqualByComparingTo("1");
        assertThat(viewer.get("/v1/cycles/" + cycle).number("overall_progress")).isEqualByComparingTo("0.5");
    }

    @RepeatedTest(3)
    void an_external_id_is_never_shared_after_concurrent_requests() throws Exception {
        var body = with(Requests.objective(cycle), "external_id", "contended");
        var objective = create("/v1/objectives", body);
        delete(objective);
        var answers = AtOnce.run(List.of(() -> restore(objective), () -> member.post("/v1/objectives", body)));
        assertThat(answers).extracting(Answer::status).containsExactlyInAnyOrder(201, 409);
        assertThat(viewer.get("/v1/objectives?external_id=contended").ids()).hasSize(1);
    }

    @RepeatedTest(3)
    void a_cycle_that_is_deleted_at_the_same_moment_does_not_lose_the_objective() throws Exception {
        var objective = newObjective(cycle);
        delete(objective);
        var answers = AtOnce.run(List.of(() -> restore(objective), () -> admin.delete("/v1/cycles/" + cycle)));
        var restored = answers.getFirst();
        var deleted = answers.getLast();
        if (restored.status() == 201) {
            deleted.isProblem(409, "conflict");
            viewer.get(Paths.objective(objective)).is(200);
        } else {
            assertThat(restored.isProblem(409, "conflict").detail()).contains(cycle);
            deleted.is(200);
        }
    }

    @RepeatedTest(3)
    void concurrent_deletions_and_restorations_keep_every_alignment() throws Exception {
        var objectives = new ArrayList<String>();
        for (int i = 0; i < 5; i++) {
            objectives.add(newObjective(cycle));
        }
        for (int parent = 0; parent < 5; parent++) {
            for (int child = parent + 1; child < 5; child++) {
                newAlignment(objectives.get(parent), objectives.get(child));
            }
        }
        var all = viewer.get("/v1/alignments").ids();
        requireAll(200, objectives.stream().<Callable<Answer>>map(each -> () -> member.delete(Paths.objective(each))));
        assertThat(viewer.get("/v1/alignments").ids()).isEmpty();
        requireAll(201, objectives.stream().<Callable<Answer>>map(each -> () -> restore(each)));
        assertThat(viewer.get("/v1/alignments").ids()).containsExactlyElementsOf(all);
        assertThat(viewer.get("/v1/cycles/" + cycle).number("objectives_count")).isEqualByComparingTo("5");
    }

    private static void requireAll(int status, Stream<Callable<Answer>> requests) throws Exception {
        assertThat(AtOnce.run(requests.toList())).allSatisfy(answer -> answer.is(status));
    }

    private void requireConflict(String objective, String... named) {
        assertThat(restore(objective).isProblem(409, "conflict").detail()).contains(named);
        viewer.get(Paths.objective(objective)).isNotFound();
        assertThat(viewer.get(DELETED).ids()).containsExactly(objective);
    }

    private String create(String path, Map<String, Object> body) {
        return member.post(path, body).is(201).id();
    }

    private void delete(String objective) {
        delete(member, objective);
    }

    private static void delete(Api api, String objective) {
        api.delete(Paths.objective(objective)).is(200);
    }

    private Answer restore(String objective) {
        return restore(member, objective);
    }

    private static Answer restore(Api api, String objective) {
        return api.post(DELETED + '/' + objective + "/restore", null);
    }
}
