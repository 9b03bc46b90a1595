package dev.okr.objectives;

import static dev.okr.testing.Json.object;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.okr.testing.Answer;
import dev.okr.testing.AtOnce;
import dev.okr.testing.Events;
import dev.okr.testing.HttpTest;
import dev.okr.testing.OpenApiDocument;
import dev.okr.testing.Paths;
import dev.okr.testing.Requests;
import io.quarkus.test.junit.QuarkusTest;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

@QuarkusTest
class ClosedCycleTest extends HttpTest {
    /** Operations that write, but no objectives, key results, check-ins or alignments of an existing cycle. */
    private static final Set<String> OTHERS = Set.of(
            "POST /v1/cycles",
            "POST /v1/cycles/{id}/close",
            "POST /v1/cycles/{id}/reopen",
            // A cycle with objectives is never deleted.
            "DELETE /v1/cycles/{id}");

    /** {@code ImportTest} and {@code EveryToolTest} test imports and the tools for assistants. */
    private static final String OTHER_RESOURCES = "\\w+ /v1/(teams|users|webhooks|events|imports)(/.*)?";

    @Test
    void a_completed_cycle_is_closed_with_its_progress() {
        var cycle = newCompletedCycle();
        var objective = newObjective(cycle);
        newObjective(cycle);
        newCheckIn(newKeyResult(objective, 0, 3), 1);
        acme.backdate();
        var before = viewer.get(path(cycle)).data();
        assertThat(before.has("closed_at")).isFalse();
        assertThat(before.has("final_progress")).isFalse();
        var events = new Events(service, admin);
        events.skip();

        var closed = admin.post(path(cycle) + "/close", null).is(200);

        assertThat(closed.number("final_progress")).isEqualByComparingTo("0.1667");
        assertThat(closed.text("status")).isEqualTo("completed");
        assertThat(closed.text("closed_at")).isEqualTo(closed.text("updated_at"));
        assertThat(viewer.get(path(cycle)).data()).isEqualTo(closed.data());
        assertThat(viewer.get(path(cycle)).header("ETag")).isEqualTo(closed.header("ETag"));
        var sent = events.next();
        assertThat(sent).singleElement().satisfies(event -> {
            assertThat(event.type()).isEqualTo("cycle.updated");
            assertThat(event.data()).isEqualTo(closed.data());
            assertThat(event.previous().properties().stream().map(Map.Entry::getKey))
                    .containsExactlyInAnyOrder("closed_at", "final_progress");
        });
        assertThat(admin.post(path(cycle) + "/close", null).is(200).data()).isEqualTo(closed.data());
        assertThat(events.next()).isEmpty();
    }

    @Test
    void a_cycle_that_is_not_completed_is_not_closed() {
        var cycle = newCycle();
        assertThat(admin.post(path(cycle) + "/close", null)
                        .isProblem(409, "conflict")
                        .detail())
                .isEqualTo("Only a completed cycle can be closed. This cycle is planned.");
    }

    @Test
    void a_cycle_that_gets_a_later_end_is_not_closed_before_it_is_active() {
        var cycle = newCompletedCycle();
        admin.put(path(cycle), object("ends_at", "2099-01-01T00:00:00Z")).is(200);
        admin.post(path(cycle) + "/close", null).isProblem(409, "conflict");
    }

    @Test
    void only_admins_close_and_reopen() {
        var cycle = newCompletedCycle();
        for (var verb : List.of("/close", "/reopen")) {
            member.post(path(cycle) + verb, null).isProblem(403, "forbidden");
            organization().admin().post(path(cycle) + verb, null).isNotFound();
            admin.post("/v1/cycles/cyc_unknown" + verb, null).isNotFound();
        }
    }

    @Test
    void a_reopened_cycle_changes_again() {
        var cycle = newCompletedCycle();
        var keyResult = newKeyResult(newObjective(cycle), 0, 10);
        admin.post(path(cycle) + "/close", null).is(200);
        member.post(Paths.checkIns(keyResult), Requests.checkIn(5)).isProblem(409, "cycle_closed");
        var events = new Events(service, admin);
        events.skip();

        var open = admin.post(path(cycle) + "/reopen", null).is(200);

        assertThat(open.data().has("closed_at")).isFalse();
        assertThat(open.data().has("final_progress")).isFalse();
        assertThat(events.nextTypes()).containsExactly("cycle.updated");
        assertThat(admin.post(path(cycle) + "/reopen", null).is(200).data()).isEqualTo(open.data());
        assertThat(events.next()).isEmpty();
        newCheckIn(keyResult, 5);
        assertThat(admin.post(path(cycle) + "/close", null).is(200).number("final_progress"))
                .isEqualByComparingTo("0.5");
    }

    @Test
    void a_closed_cycle_keeps_its_dates_but_takes_a_name() {
        var cycle = newCompletedCycle();
        admin.post(path(cycle) + "/close", null).is(200);
        admin.put(path(cycle), object("ends_at", "2099-01-01T00:00:00Z")).isProblem(409, "cycle_closed");
        assertThat(admin.put(path(cycle), object("name", "Closed " + cycle))
                        .is(200)
                        .data()
                        .has("closed_at"))
                .isTrue();
    }

    /** A new operation that writes must be listed here, with a request that would change something in a closed cycle. */
    @Test
    void no_operation_changes_anything_in_a_closed_cycle() {
        var closed = newCompletedCycle();
        var objective = newObjective(closed);
        var keyResult = newKeyResult(objective, 0, 10);
        var checkIn = newCheckIn(keyResult, 5);
        var outside = newObjective();
        var sibling = newObjective(closed);
        var alignment = newAlignment(outside, objective);
        var deleted = newObjective(closed);
        member.delete(Paths.objective(deleted)).is(200);
        admin.post(path(closed) + "/close", null).is(200);
        var before = everything(closed, objective, keyResult);
        var events = new Events(service, admin);
        events.skip();

        var title = object("title", "Changed");
        var byId = "/v1/key-results/" + keyResult;
        Map<String, Supplier<Stream<Answer>>> requests = new LinkedHashMap<>();
        requests.put("POST /v1/objectives", () -> Stream.of(member.post("/v1/objectives", Requests.objective(closed))));
        requests.put(
                "POST /v1/objectives/batch",
                () -> Stream.of(member.post(
                        "/v1/objectives/batch",
                        object("objectives", List.of(Requests.objective(newCycle()), Requests.objective(closed))))));
        for (var method : List.of("PUT", "PATCH")) {
            requests.put(
                    method + " /v1/objectives/{id}",
                    () -> Stream.of(
                            admin.send(method, Paths.objective(objective), title),
                            admin.send(method, Paths.objective(objective), object("score", 0.5)),
                            admin.send(method, Paths.objective(objective), object("cycle_id", newCycle())),
                            admin.send(method, Paths.objective(outside), object("cycle_id", closed))));
            requests.put(
                    method + " /v1/objectives/{id}/key-results/{krId}",
                    () -> Stream.of(admin.send(method, Paths.keyResult(objective, keyResult), title)));
            requests.put(
                    method + " /v1/key-results/{id}",
                    () -> Stream.of(admin.send(method, byId, object("current_value", 7))));
            requests.put(
                    method + " /v1/key-results/{id}/check-ins/{checkInId}",
                    () -> Stream.of(admin.send(method, Paths.checkIn(keyResult, checkIn), object("note", "Changed"))));
            requests.put(
                    method + " /v1/alignments/{id}",
                    () -> Stream.of(admin.send(method, "/v1/alignments/" + alignment, object("weight", 2))));
            requests.put(
                    method + " /v1/cycles/{id}",
                    () -> Stream.of(admin.send(method, path(closed), object("starts_at", "2020-01-01T00:00:00Z"))));
        }
        requests.put(
                "DELETE /v1/objectives/{id}",
                () -> Stream.of(
                        admin.delete(Paths.objective(objective)),
                        // It would delete the alignment of its child.
                        admin.delete(Paths.objective(outside))));
        requests.put(
                "POST /v1/deleted-objectives/{id}/restore",
                () -> Stream.of(admin.post("/v1/deleted-objectives/" + deleted + "/restore", null)));
        requests.put(
                "POST /v1/objectives/{id}/key-results",
                () -> Stream.of(member.post(Paths.keyResults(objective), Requests.keyResult(0, 1))));
        requests.put(
                "DELETE /v1/objectives/{id}/key-results/{krId}",
                () -> Stream.of(admin.delete(Paths.keyResult(objective, keyResult))));
        requests.put("DELETE /v1/key-results/{id}", () -> Stream.of(admin.delete(byId)));
        requests.put(
                "POST /v1/key-results/{id}/check-ins",
                () -> Stream.of(
                        member.post(Paths.checkIns(keyResult), Requests.checkIn(6)),
                        // It would change only the history.
                        member.post(
                                Paths.checkIns(keyResult), object("value", 1, "recorded_at", "2020-01-01T00:00:00Z"))));
        requests.put(
                "DELETE /v1/key-results/{id}/check-ins/{checkInId}",
                () -> Stream.of(admin.delete(Paths.checkIn(keyResult, checkIn))));
        requests.put(
                "POST /v1/check-ins/batch",
                () -> Stream.of(member.post(
                        "/v1/check-ins/batch",
                        object(
                                "check_ins",
                                List.of(
                                        object("key_result_id", newKeyResult(outside, 0, 10), "value", 1),
                                        object("key_result_id", keyResult, "value", 6))))));
        requests.put(
                "POST /v1/alignments",
                () -> Stream.of(member.post("/v1/alignments", Requests.alignment(outside, sibling))));
        requests.put("DELETE /v1/alignments/{id}", () -> Stream.of(admin.delete("/v1/alignments/" + alignment)));
        requests.put(
                "POST /v1/cycles/{id}/carry-over",
                () -> Stream.of(admin.post(
                        path(newCycleWith(outside)) + "/carry-over", object("to", closed, "values", "keep"))));

        for (var operation : OpenApiDocument.of(service).operations()) {
            var name = operation.toString();
            if (!operation.method().equals("GET") && !OTHERS.contains(name) && !name.matches(OTHER_RESOURCES)) {
                assertThat(requests).as("the operations of this test").containsKey(name);
                requests.remove(name)
                        .get()
                        .forEach(answer -> assertThat(
                                        answer.isProblem(409, "cycle_closed").detail())
                                .as(name)
                                .contains(closed));
            }
        }

        assertThat(requests).as("operations that no longer exist").isEmpty();
        assertThat(everything(closed, objective, keyResult)).isEqualTo(before);
        assertThat(events.next())
                .allSatisfy(event -> assertThat(event.data().toString()).doesNotContain(closed, objective, keyResult));
    }

    @Test
    void a_check_in_of_a_batch_is_named() {
        var cycle = newCompletedCycle();
        var closed = newKeyResult(newObjective(cycle), 0, 10);
        var open = newKeyResult(newObjective(), 0, 10);
        admin.post(path(cycle) + "/close", null).is(200);
        var items = List.of(object("key_result_id", open, "value", 1), object("key_result_id", closed, "value", 1));
        assertThat(member.post("/v1/check-ins/batch", object("check_ins", items))
                        .isProblem(409, "cycle_closed")
                        .detail())
                .startsWith("/check_ins/1/key_result_id: ");
        assertThat(viewer.get(Paths.checkIns(open)).ids()).isEmpty();
    }

    @Test
    void a_wrong_request_is_reported_before_the_closed_cycle() {
        var cycle = newCompletedCycle();
        var objective = newObjective(cycle);
        var keyResult = newKeyResult(objective, 0, 10);
        admin.post(path(cycle) + "/close", null).is(200);
        var other = acme.user("Alan Turing", "member").api();
        other.delete(Paths.objective(objective)).isProblem(403, "forbidden");
        member.put(Paths.objective(objective), object("title", "")).isInvalid("/title too_short");
        member.header("If-Match", "\"old\"")
                .put(Paths.keyResult(objective, keyResult), object("title", "Changed"))
                .isProblem(412, "precondition_failed");
        member.post(Paths.checkIns(keyResult), object()).isInvalid("/value required");
    }

    @Test
    void an_objective_of_an_open_cycle_can_be_aligned_to_one_of_a_closed_cycle() {
        var cycle = newCompletedCycle();
        var parent = newObjective(cycle);
        var child = newObjective();
        admin.post(path(cycle) + "/close", null).is(200);
        var alignment = newAlignment(parent, child);
        member.delete("/v1/alignments/" + alignment).is(200);
        newAlignment(parent, child);
        member.delete(Paths.objective(child)).is(200);
    }

    @Test
    void a_restored_objective_returns_without_the_alignment_to_a_child_in_a_closed_cycle() {
        var cycle = newCompletedCycle();
        var child = newObjective(cycle);
        var parent = newObjective();
        newAlignment(parent, child);
        member.delete(Paths.objective(parent)).is(200);
        admin.post(path(cycle) + "/close", null).is(200);
        member.post("/v1/deleted-objectives/" + parent + "/restore", null).is(201);
        assertThat(viewer.get("/v1/alignments?objective_id=" + child).ids()).isEmpty();
    }

    @RepeatedTest(5)
    void the_final_progress_contains_exactly_the_changes_that_succeeded() throws Exception {
        var cycle = newCompletedCycle();
        var keyResults = new ArrayList<String>();
        for (int i = 0; i < 4; i++) {
            keyResults.add(newKeyResult(newObjective(cycle), 0, 1_000));
        }
        var moved = newObjective();
        newCheckIn(newKeyResult(moved, 0, 10), 10);
        var requests = new ArrayList<Callable<Answer>>();
        for (var keyResult : keyResults) {
            requests.addAll(AtOnce.times(4, () -> member.post(Paths.checkIns(keyResult), object("increment", 100))));
        }
        requests.add(2, () -> admin.post(path(cycle) + "/close", null));
        requests.add(() -> member.post("/v1/objectives", Requests.objective(cycle)));
        requests.add(() -> member.put(Paths.objective(moved), object("cycle_id", cycle)));

        var answers = AtOnce.run(requests);

        var closed = answers.remove(2).is(200);
        answers.forEach(answer -> {
            if (answer.status() >= 300) {
                answer.isProblem(409, "cycle_closed");
            }
        });
        var objectives = viewer.get("/v1/objectives?cycle_id=" + cycle).is(200);
        var sum = BigDecimal.ZERO;
        for (var objective : objectives.data()) {
            sum = sum.add(objective.get("progress").decimalValue());
        }
        var mean = sum.divide(BigDecimal.valueOf(objectives.data().size()), 4, RoundingMode.HALF_UP);
        assertThat(closed.number("final_progress")).isEqualByComparingTo(mean);
        var now = viewer.get(path(cycle));
        assertThat(now.number("overall_progress")).isEqualByComparingTo(mean);
        assertThat(now.number("objectives_count").intValue())
                .isEqualTo(objectives.data().size());
        long checkIns = answers.subList(0, 16).stream()
                .filter(answer -> answer.status() == 201)
                .count();
        assertThat(keyResults.stream()
                        .mapToInt(keyResult -> viewer.get("/v1/key-results/" + keyResult)
                                .number("current_value")
                                .intValue())
                        .sum())
                .isEqualTo(checkIns * 100);
    }

    private String newCycleWith(String objective) {
        var cycle = newCycle();
        member.put(Paths.objective(objective), object("cycle_id", cycle)).is(200);
        return cycle;
    }

    private List<JsonNode> everything(String cycle, String objective, String keyResult) {
        return Stream.of(
                        path(cycle),
                        "/v1/objectives?cycle_id=" + cycle,
                        Paths.objective(objective),
                        Paths.keyResults(objective),
                        Paths.checkIns(keyResult),
                        "/v1/alignments?objective_id=" + objective)
                .map(path -> viewer.get(path).is(200).data())
                .toList();
    }

    private static String path(String cycle) {
        return "/v1/cycles/" + cycle;
    }
}
