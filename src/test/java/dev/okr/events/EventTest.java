package dev.okr.events;

import static dev.okr.testing.Json.object;
import static dev.okr.testing.Requests.with;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.okr.testing.Api;
import dev.okr.testing.Events;
import dev.okr.testing.Events.Event;
import dev.okr.testing.HttpTest;
import dev.okr.testing.Json;
import dev.okr.testing.Paths;
import dev.okr.testing.Requests;
import dev.okr.testing.TestOrganization.TestUser;
import io.quarkus.test.junit.QuarkusTest;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The events of every operation. */
@QuarkusTest
class EventTest extends HttpTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private Events events;
    private String cycle;
    private String objective;

    @BeforeEach
    void listen() {
        events = new Events(service, admin);
        cycle = newCycle();
        objective = newObjective(cycle);
        acme.backdate();
        events.skip();
    }

    @Test
    void creating_an_objective_has_one_event() {
        var body = with(
                Requests.objective(cycle),
                "title",
                " \"Ünïcode\" \\ 🎯 </script>\nsecond line",
                "description",
                "Why",
                "team_id",
                acme.team("Growth").id());
        var id = member.post("/v1/objectives", body).is(201).id();
        happened(created("objective.created", listedObjective(id), acme.memberUser()));
    }

    @Test
    void the_fields_of_an_event_have_a_fixed_order() {
        admin.put(Paths.objective(objective), object("title", "Changed")).is(200);
        var event = events.nextAsSent().getFirst();
        assertThat(event.toString()).isEqualTo("""
                        {"id":"%s","type":"objective.updated","timestamp":"%s","data":%s,\
                        "previous":{"title":"Win the trust of mid-sized customers"},"actor":{"user_id":"%s"}}""".formatted(
                        event.get("id").textValue(),
                        event.get("timestamp").textValue(),
                        listedObjective(objective),
                        acme.adminUser().id()));
    }

    @Test
    void changing_an_objective_has_an_event_with_the_old_values() {
        var before = listedObjective(objective);
        var team = acme.team("Growth").id();
        var other = newCycle();
        events.skip();
        var change = object(
                "title",
                "Changed",
                "description",
                "Why",
                "status",
                "at_risk",
                "owner_id",
                acme.adminUser().id(),
                "cycle_id",
                other,
                "team_id",
                team);
        member.put(Paths.objective(objective), change).is(200);
        happened(updated(
                "objective.updated",
                listedObjective(objective),
                object(
                        "title",
                        before.get("title"),
                        "description",
                        null,
                        "status",
                        "not_started",
                        "owner_id",
                        acme.memberUser().id(),
                        "cycle_id",
                        cycle,
                        "team_id",
                        null),
                acme.memberUser()));

        admin.put(Paths.objective(objective), object("description", null, "title", "Changed", "team_id", null))
                .is(200);
        var cleared = listedObjective(objective);
        assertThat(cleared.has("description") || cleared.has("team_id")).isFalse();
        happened(
                updated("objective.updated", cleared, object("description", "Why", "team_id", team), acme.adminUser()));
    }

    @Test
    void every_field_of_an_objective_is_in_the_old_values_when_it_changes() {
        var before = listedObjective(objective);
        var change = object(
                "title",
                "Changed",
                "description",
                "Why",
                "status",
                "completed",
                "owner_id",
                acme.viewerUser().id(),
                "cycle_id",
                newCycle(),
                "team_id",
                acme.team("Growth").id());
        events.skip();
        change.forEach((field, value) -> {
            admin.put(Paths.objective(objective), object(field, value)).is(200);
            happened(updated(
                    "objective.updated",
                    listedObjective(objective),
                    object(field, before.get(field)),
                    acme.adminUser()));
        });
    }

    @Test
    void deleting_an_objective_has_its_event_after_those_of_its_parts() {
        var first = newKeyResult(objective, 0, 10);
        var second = newKeyResult(objective, 0, 10);
        newCheckIn(first, 5);
        var other = newObjective(cycle);
        var above = newAlignment(other, objective);
        var below = newAlignment(objective, newObjective(cycle));
        var unrelated = newAlignment(other, newObjective(cycle));
        var last = listedObjective(objective);
        var children = new ArrayList<>(List.of(
                created("key_result.deleted", listedKeyResult(first), acme.adminUser()),
                created("key_result.deleted", listedKeyResult(second), acme.adminUser()),
                created("alignment.deleted", listedAlignment(above), acme.adminUser()),
                created("alignment.deleted", listedAlignment(below), acme.adminUser())));
        events.skip();

        admin.delete(Paths.objective(objective)).is(200);

        var told = events.next();
        assertThat(told.subList(0, 4)).containsExactlyInAnyOrderElementsOf(children);
        assertThat(told.subList(4, told.size())).containsExactly(created("objective.deleted", last, acme.adminUser()));
        assertThat(last.get("progress").decimalValue()).isEqualTo("0.25");
        assertThat(viewer.get("/v1/alignments").ids()).containsExactly(unrelated);
    }

    @Test
    void creating_a_key_result_has_an_event_of_the_objective_too() {
        var first = newKeyResult(objective, 0, 10);
        happened(created("key_result.created", listedKeyResult(first), acme.memberUser()));
        newCheckIn(first, 10);
        events.skip();
        var second = newKeyResult(objective, 0, 10);
        happened(
                created("key_result.created", listedKeyResult(second), acme.memberUser()),
                updated("objective.updated", listedObjective(objective), object("progress", 1), acme.memberUser()));
        assertThat(listedObjective(objective).get("progress").decimalValue()).isEqualTo("0.5");
    }

    @Test
    void changing_a_key_result_has_an_event_of_the_objective_too() {
        var id = newKeyResult(objective, 0, 10);
        var path = Paths.keyResult(objective, id);
        acme.backdate();
        events.skip();

        member.put(path, object("title", "Changed")).is(200);
        happened(updated(
                "key_result.updated", listedKeyResult(id), object("title", "Onboarded customers"), acme.memberUser()));

        admin.put(path, object("current_value", 5)).is(200);
        happened(
                updated(
                        "key_result.updated",
                        listedKeyResult(id),
                        object("current_value", 0, "progress", 0),
                        acme.adminUser()),
                updated("objective.updated", listedObjective(objective), object("progress", 0), acme.adminUser()));

        member.put(path, object("title", "Again", "target_value", 20, "current_value", 5))
                .is(200);
        happened(
                updated(
                        "key_result.updated",
                        listedKeyResult(id),
                        object("title", "Changed", "target_value", 10, "progress", new BigDecimal("0.5")),
                        acme.memberUser()),
                updated(
                        "objective.updated",
                        listedObjective(objective),
                        object("progress", new BigDecimal("0.5")),
                        acme.memberUser()));
    }

    @Test
    void events_show_all_decimals_of_values() {
        var id = newKeyResult(objective, new BigDecimal("0.000001"), new BigDecimal("99999999999.999999"));
        var path = Paths.keyResult(objective, id);
        events.skip();
        admin.put(path, object("current_value", new BigDecimal("33333333333.333333")))
                .is(200);
        admin.put(path, object("current_value", new BigDecimal("-99999999999.999999")))
                .is(200);
        admin.put(path, object("current_value", 1_000_000)).is(200);
        admin.put(path, object("current_value", new BigDecimal("1E+10"))).is(200);
        var texts = events.nextAsSent().stream()
                .filter(event -> event.get("type").textValue().startsWith("key_result"))
                .map(event -> event.get("previous").toString())
                .toList();
        assertThat(texts)
                .containsExactly(
                        "{\"current_value\":0.000001,\"progress\":0}",
                        "{\"current_value\":33333333333.333333,\"progress\":0.3333}",
                        "{\"current_value\":-99999999999.999999}",
                        "{\"current_value\":1000000,\"progress\":0}");
    }

    @Test
    void deleting_a_key_result_has_an_event_of_the_objective_too() {
        var kept = newKeyResult(objective, 0, 10);
        var deleted = newKeyResult(objective, 0, 10);
        newCheckIn(kept, 10);
        newCheckIn(deleted, 5);
        var last = listedKeyResult(deleted);
        events.skip();
        admin.delete(Paths.keyResult(objective, deleted)).is(200);
        happened(
                created("key_result.deleted", last, acme.adminUser()),
                updated(
                        "objective.updated",
                        listedObjective(objective),
                        object("progress", new BigDecimal("0.75")),
                        acme.adminUser()));

        var same = newKeyResult(objective, 0, 10);
        newCheckIn(same, 20);
        var shown = listedKeyResult(same);
        events.skip();
        member.delete(Paths.keyResult(objective, same)).is(200);
        happened(created("key_result.deleted", shown, acme.memberUser()));
    }

    @Test
    void a_check_in_has_events_of_key_result_and_objective_too() {
        var keyResult = newKeyResult(objective, 0, 10);
        acme.backdate();
        events.skip();
        var id = member.post(Paths.checkIns(keyResult), object("value", new BigDecimal("2.50"), "note", "Going"))
                .is(201)
                .id();
        happened(
                created("check_in.created", listedCheckIn(keyResult, id), acme.memberUser()),
                updated(
                        "key_result.updated",
                        listedKeyResult(keyResult),
                        object("current_value", 0, "progress", 0),
                        acme.memberUser()),
                updated("objective.updated", listedObjective(objective), object("progress", 0), acme.memberUser()));
    }

    @Test
    void a_check_in_with_the_same_value_has_only_its_own_event() {
        var keyResult = newKeyResult(objective, 0, 10);
        newCheckIn(keyResult, 5);
        events.skip();
        var id = newCheckIn(keyResult, new BigDecimal("5.00"));
        happened(created("check_in.created", listedCheckIn(keyResult, id), acme.memberUser()));
    }

    @Test
    void a_check_in_that_does_not_change_progress_has_no_event_of_the_objective() {
        var keyResult = newKeyResult(objective, 0, 10);
        newCheckIn(keyResult, 10);
        events.skip();
        var id = newCheckIn(keyResult, 12);
        happened(
                created("check_in.created", listedCheckIn(keyResult, id), acme.memberUser()),
                updated(
                        "key_result.updated",
                        listedKeyResult(keyResult),
                        object("current_value", 10),
                        acme.memberUser()));
    }

    @Test
    void changing_the_newest_check_in_has_an_event_of_the_key_result_too() {
        var keyResult = newKeyResult(objective, 0, 10);
        var older = newCheckIn(keyResult, 2);
        var newest = newCheckIn(keyResult, 5);
        acme.backdate();
        events.skip();

        admin.put(Paths.checkIn(keyResult, older), object("value", 9)).is(200);
        happened(updated("check_in.updated", listedCheckIn(keyResult, older), object("value", 2), acme.adminUser()));

        member.put(Paths.checkIn(keyResult, newest), object("value", 8, "note", "More"))
                .is(200);
        happened(
                updated(
                        "check_in.updated",
                        listedCheckIn(keyResult, newest),
                        object("value", 5, "note", null),
                        acme.memberUser()),
                updated(
                        "key_result.updated",
                        listedKeyResult(keyResult),
                        object("current_value", 5, "progress", new BigDecimal("0.5")),
                        acme.memberUser()),
                updated(
                        "objective.updated",
                        listedObjective(objective),
                        object("progress", new BigDecimal("0.5")),
                        acme.memberUser()));

        member.put(Paths.checkIn(keyResult, newest), object("note", null)).is(200);
        happened(updated(
                "check_in.updated", listedCheckIn(keyResult, newest), object("note", "More"), acme.memberUser()));
    }

    @Test
    void creating_and_deleting_an_alignment_has_one_event_each() {
        var other = newObjective(cycle);
        events.skip();
        var id = newAlignment(objective, other);
        var shown = listedAlignment(id);
        happened(created("alignment.created", shown, acme.memberUser()));
        admin.delete("/v1/alignments/" + id).is(200);
        happened(created("alignment.deleted", shown, acme.adminUser()));
    }

    @Test
    void creating_and_changing_a_cycle_has_one_event_each() {
        var id = newCycle();
        happened(created("cycle.created", listedCycle(id), acme.adminUser()));
        var before = listedCycle(id);
        acme.backdate();
        var change = object("name", "Q2", "starts_at", "2099-04-01T02:00:00+02:00", "ends_at", "2099-07-01T00:00:00Z");
        admin.put("/v1/cycles/" + id, change).is(200);
        happened(updated(
                "cycle.updated",
                listedCycle(id),
                object(
                        "name",
                        before.get("name"),
                        "starts_at",
                        before.get("starts_at"),
                        "ends_at",
                        before.get("ends_at")),
                acme.adminUser()));
    }

    @Test
    void a_cycle_whose_totals_change_has_no_event() {
        var keyResult = newKeyResult(objective, 0, 10);
        newCheckIn(keyResult, 5);
        var second = newObjective(cycle);
        member.delete(Paths.objective(second)).is(200);
        member.put(Paths.objective(objective), object("cycle_id", newCycle())).is(200);
        assertThat(events.nextTypes()).contains("objective.updated").doesNotContain("cycle.updated");
        member.put(Paths.objective(objective), object("cycle_id", cycle)).is(200);
        var name = listedCycle(cycle).get("name");
        events.skip();
        admin.put("/v1/cycles/" + cycle, object("name", "Changed")).is(200);
        happened(updated("cycle.updated", listedCycle(cycle), object("name", name), acme.adminUser()));
        assertThat(listedCycle(cycle).get("overall_progress").decimalValue()).isEqualTo("0.5");
    }

    @Test
    void a_change_of_fractions_of_a_second_has_no_event() {
        admin.put("/v1/cycles/" + cycle, object("starts_at", "2099-01-01T00:00:00.5Z"))
                .is(200);
        happened();
    }

    @Test
    void a_cycle_whose_status_changes_over_time_has_one_event_without_an_actor() throws InterruptedException {
        var now = Instant.now();
        var body = with(
                Requests.cycle(),
                "starts_at",
                now.minusSeconds(60).toString(),
                "ends_at",
                now.minusSeconds(30).toString());
        var id = admin.post("/v1/cycles", body).is(201).id();
        member.post("/v1/objectives", Requests.objective(id)).is(201);
        becomes(id, "completed");
        // Wait until the job has run again.
        Thread.sleep(Duration.ofMillis(2_500));
        var told = events.next().stream()
                .filter(event -> event.type().startsWith("cycle"))
                .toList();
        assertThat(told).hasSize(2);
        assertThat(told.getFirst().type()).isEqualTo("cycle.created");
        assertThat(told.getFirst().data().get("status").textValue()).isEqualTo("planned");
        // The job may run before or after the objective is created. So the totals may differ.
        var moved = told.getLast();
        assertThat(moved.type()).isEqualTo("cycle.updated");
        assertThat(moved.previous()).isEqualTo(Json.tree(object("status", "planned")));
        assertThat(moved.actor()).isNull();
        var shown = listedCycle(id);
        for (var field : List.of("id", "name", "starts_at", "ends_at", "status", "created_at", "updated_at")) {
            assertThat(moved.data().get(field)).as(field).isEqualTo(shown.get(field));
        }

        var longer = object("ends_at", now.plusSeconds(3600).toString());
        var changed = admin.put("/v1/cycles/" + id, longer).is(200).data();
        becomes(id, "active");
        happened(
                updated("cycle.updated", changed, object("ends_at", shown.get("ends_at")), acme.adminUser()),
                new Event("cycle.updated", listedCycle(id), Json.tree(object("status", "completed")), null));
    }

    private void happened(Event... expected) {
        assertThat(events.next()).containsExactly(expected);
    }

    /** The event of a creation or deletion, which has no old values. */
    private static Event created(String type, JsonNode data, TestUser actor) {
        return new Event(type, data, null, actor.id());
    }

    private static Event updated(String type, JsonNode data, Object previous, TestUser actor) {
        return new Event(type, data, Json.tree(previous), actor.id());
    }

    private JsonNode listedObjective(String id) {
        return listed(viewer, "/v1/objectives", id);
    }

    private JsonNode listedKeyResult(String id) {
        return listed(viewer, Paths.keyResults(objective), id);
    }

    private JsonNode listedCheckIn(String keyResult, String id) {
        return listed(viewer, Paths.checkIns(keyResult), id);
    }

    private JsonNode listedCycle(String id) {
        return listed(viewer, "/v1/cycles", id);
    }

    private JsonNode listedAlignment(String id) {
        return listed(viewer, "/v1/alignments", id);
    }

    private static JsonNode listed(Api api, String path, String id) {
        return api.get(path + "?per_page=100")
                .is(200)
                .data()
                .valueStream()
                .filter(item -> item.get("id").textValue().equals(id))
                .findFirst()
                .orElseThrow();
    }

    private void becomes(String id, String status) throws InterruptedException {
        var deadline = Instant.now().plus(PATIENCE);
        while (!listedCycle(id).get("status").textValue().equals(status)) {
            assertThat(Instant.now()).isBefore(deadline);
            Thread.sleep(100);
        }
    }
}
