package dev.okr.objectives;

import static dev.okr.testing.Json.object;
import static dev.okr.testing.Requests.with;
import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.testing.Answer;
import dev.okr.testing.AtOnce;
import dev.okr.testing.Events;
import dev.okr.testing.HttpTest;
import dev.okr.testing.Paths;
import dev.okr.testing.Requests;
import io.quarkus.test.junit.QuarkusTest;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

/** Many objectives with one request. */
@QuarkusTest
class ObjectiveBatchTest extends HttpTest {
    private static final String BATCH = "/v1/objectives/batch";

    private String cycle;

    @BeforeEach
    void createCycle() {
        cycle = newCycle();
    }

    @Test
    void objectives_and_key_results_are_created_in_the_order_of_the_request() {
        var other = newCycle();
        var created = member.post(
                        BATCH,
                        batch(
                                objective("One", keyResult("A"), keyResult("B")),
                                object("title", "Two", "cycle_id", other),
                                objective("Three", keyResult("C"))))
                .is(201);
        assertThat(created.data().findValuesAsText("title"))
                .containsExactlyInAnyOrder("One", "A", "B", "Two", "Three", "C");
        assertThat(created.header("Location")).hasValue("/v1/objectives");
        assertThat(created.data().get(0).get("key_results").findValuesAsText("title"))
                .containsExactly("A", "B");
        assertThat(created.data().get(1).get("key_results")).isEmpty();

        var listed = viewer.get("/v1/objectives?include=key_results&sort=created_at&cycle_id=" + cycle)
                .data();
        assertThat(listed.findValuesAsText("id"))
                .contains(created.data().get(2).get("id").asText());
        assertThat(listed.get(0).get("title").asText()).isEqualTo("One");
        assertThat(listed.get(0).get("key_results").findValuesAsText("title")).containsExactly("B", "A");
        assertThat(listed.get(1).get("title").asText()).isEqualTo("Three");
        assertThat(viewer.get("/v1/cycles/" + cycle).number("objectives_count")).isEqualTo("2");
        assertThat(viewer.get("/v1/cycles/" + other).number("objectives_count")).isEqualTo("1");
        var id = created.data().get(0).get("id").asText();
        member.post(
                        Paths.checkIns(created.data()
                                .get(0)
                                .get("key_results")
                                .get(0)
                                .get("id")
                                .asText()),
                        object("value", 5))
                .is(201);
        assertThat(viewer.get(Paths.objective(id)).number("progress")).isEqualTo("0.25");
        assertThat(viewer.get("/v1/cycles/" + cycle).number("overall_progress")).isEqualTo("0.125");
    }

    @Test
    void the_events_are_those_of_single_requests() {
        var events = new Events(service, admin);
        events.skip();
        member.post(BATCH, batch(objective("One", keyResult("A")), objective("Two")))
                .is(201);
        assertThat(events.next())
                .extracting(Events.Event::type)
                .containsExactly("objective.created", "objective.created", "key_result.created");
    }

    @Test
    void one_wrong_item_writes_nothing_and_is_named() {
        var wrong = objective("Two", keyResult("A"), object("title", "", "metric_type", "number", "surprise", 1));
        member.post(BATCH, batch(objective("One"), wrong, object("title", "Three", "cycle_id", "cyc_nope")))
                .isInvalid(
                        "/objectives/1/key_results/1/title too_short",
                        "/objectives/1/key_results/1/start_value required",
                        "/objectives/1/key_results/1/target_value required",
                        "/objectives/2/cycle_id unknown_reference",
                        "/objectives/1/key_results/1/surprise unknown_field");
        member.post(BATCH, object("objectives", List.of())).isInvalid("/objectives too_short");
        member.post(
                        BATCH,
                        object(
                                "objectives",
                                IntStream.range(0, 101)
                                        .mapToObj(i -> objective("x"))
                                        .toList()))
                .isInvalid("/objectives too_long");
        var half = IntStream.range(0, 501).mapToObj(i -> keyResult("x")).toArray(Map[]::new);
        member.post(BATCH, batch(objective("One", half), objective("Two", half)))
                .isInvalid("/objectives/1/key_results too_long");
        assertThat(viewer.get("/v1/objectives").ids()).isEmpty();
        assertThat(viewer.get("/v1/cycles/" + cycle).number("objectives_count")).isEqualTo("0");
    }

    @Test
    void references_to_another_organisation_or_to_a_deactivated_owner_are_invalid() {
        var other = organization();
        var theirs = other.admin().post("/v1/cycles", Requests.uniqueCycle()).id();
        var gone = acme.user("Mary Jackson", "member").id();
        admin.put("/v1/users/" + gone, object("active", false)).is(200);
        member.post(
                        BATCH,
                        batch(
                                object("title", "One", "cycle_id", theirs),
                                with(
                                        objective("Two"),
                                        "team_id",
                                        other.team("Growth").id()),
                                with(
                                        objective("Three"),
                                        "owner_id",
                                        other.memberUser().id()),
                                objective(
                                        "Four",
                                        with(
                                                keyResult("A"),
                                                "owner_id",
                                                other.memberUser().id())),
                                with(objective("Five"), "owner_id", gone),
                                objective("Six", with(keyResult("B"), "owner_id", gone))))
                .isInvalid(
                        "/objectives/0/cycle_id unknown_reference",
                        "/objectives/1/team_id unknown_reference",
                        "/objectives/2/owner_id unknown_reference",
                        "/objectives/3/key_results/0/owner_id unknown_reference",
                        "/objectives/4/owner_id deactivated_user",
                        "/objectives/5/key_results/0/owner_id deactivated_user");
        assertThat(viewer.get("/v1/objectives").ids()).isEmpty();
    }

    @Test
    void a_taken_external_id_names_the_item() {
        member.post(BATCH, batch(withExternalId(objective("One", withExternalId(keyResult("A"), "kr-1")), "obj-1")))
                .is(201);
        assertThat(member.post(BATCH, batch(objective("Two"), withExternalId(objective("Three"), "obj-1")))
                        .isProblem(409, "conflict")
                        .detail())
                .startsWith("/objectives/1/external_id: The objective obj_");
        assertThat(member.post(BATCH, batch(objective("Two", withExternalId(keyResult("B"), "kr-1"))))
                        .isProblem(409, "conflict")
                        .detail())
                .startsWith("/objectives/0/key_results/0/external_id: The key result kr_");
        assertThat(member.post(
                                BATCH,
                                batch(
                                        withExternalId(objective("Two"), "obj-2"),
                                        withExternalId(objective("x"), "obj-2")))
                        .isProblem(409, "conflict")
                        .detail())
                .isEqualTo("/objectives/1/external_id: Another objective of the request has it.");
        assertThat(viewer.get("/v1/objectives").ids()).hasSize(1);
    }

    @Test
    void the_same_request_with_the_same_key_is_executed_once() {
        var once = member.header("Idempotency-Key", "batch-1");
        var first = once.post(BATCH, batch(objective("One", keyResult("A")))).is(201);
        var second = once.post(BATCH, batch(objective("One", keyResult("A")))).is(201);
        assertThat(second.data()).isEqualTo(first.data());
        assertThat(viewer.get("/v1/objectives").ids()).hasSize(1);
    }

    @RepeatedTest(3)
    void batches_over_the_same_cycles_do_not_fail_each_other() throws Exception {
        var other = newCycle();
        var items = Stream.of(cycle, other, cycle, other, cycle)
                .map(id -> (Map<String, Object>)
                        object("title", "x", "cycle_id", id, "key_results", List.of(keyResult("y"))))
                .toList();
        var requests = IntStream.range(0, 16)
                .<Callable<Answer>>mapToObj(i ->
                        () -> member.post(BATCH, object("objectives", i % 2 == 0 ? items : items.reversed())))
                .toList();
        assertThat(AtOnce.run(requests)).allSatisfy(answer -> answer.is(201));
        assertThat(viewer.get("/v1/cycles/" + cycle).number("objectives_count")).isEqualTo("48");
        assertThat(viewer.get("/v1/cycles/" + other).number("objectives_count")).isEqualTo("32");
    }

    @SafeVarargs
    private static Map<String, Object> batch(Map<String, Object>... objectives) {
        return object("objectives", List.of(objectives));
    }

    @SafeVarargs
    private Map<String, Object> objective(String title, Map<String, Object>... keyResults) {
        return keyResults.length == 0
                ? object("title", title, "cycle_id", cycle)
                : object("title", title, "cycle_id", cycle, "key_results", List.of(keyResults));
    }

    private static Map<String, Object> keyResult(String title) {
        return object("title", title, "metric_type", "number", "start_value", 0, "target_value", 10);
    }

    private static Map<String, Object> withExternalId(Map<String, Object> resource, String externalId) {
        var changed = new LinkedHashMap<>(resource);
        changed.put("external_id", externalId);
        return changed;
    }
}
