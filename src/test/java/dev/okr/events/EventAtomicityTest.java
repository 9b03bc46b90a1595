package dev.okr.events;

import static dev.okr.testing.Json.object;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import com.fasterxml.jackson.databind.JsonNode;
import dev.okr.platform.ids.IdKind;
import dev.okr.platform.ids.UuidV7;
import dev.okr.testing.Answer;
import dev.okr.testing.AtOnce;
import dev.okr.testing.Events;
import dev.okr.testing.Events.Event;
import dev.okr.testing.HttpTest;
import dev.okr.testing.Json;
import dev.okr.testing.Paths;
import dev.okr.testing.Requests;
import dev.okr.testing.TestDatabase;
import io.quarkus.test.junit.QuarkusTest;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

/** An event exists if and only if its change was committed. */
@QuarkusTest
class EventAtomicityTest extends HttpTest {
    private static final int CHECK_INS = 200;
    private static final int DELETIONS = 8;

    private Events events;
    private String cycle;
    private String objective;
    private String keyResult;
    private String checkIn;

    @BeforeEach
    void listen() {
        events = new Events(service, admin);
        cycle = newCycle();
        objective = newObjective(cycle);
        keyResult = newKeyResult(objective, 0, 10);
        checkIn = newCheckIn(keyResult, 5);
        events.skip();
    }

    @Test
    void a_request_that_changes_nothing_has_no_event() {
        for (var path : List.of(
                "/v1/cycles/" + cycle,
                Paths.objective(objective),
                Paths.keyResult(objective, keyResult),
                Paths.checkIn(keyResult, checkIn))) {
            admin.put(path, object()).is(200);
        }
        admin.put("/v1/cycles/" + cycle, object("starts_at", "2099-01-01T01:00:00+01:00"))
                .is(200);
        admin.put(
                        Paths.objective(objective),
                        object("description", null, "team_id", null, "cycle_id", cycle, "status", "not_started"))
                .is(200);
        admin.put(Paths.keyResult(objective, keyResult), "{\"current_value\":5.0,\"target_value\":1e1}")
                .is(200);
        admin.put(Paths.checkIn(keyResult, checkIn), "{\"value\":5.00,\"note\":null}")
                .is(200);
        assertThat(events.next()).isEmpty();
    }

    @Test
    void a_rejected_request_has_no_event() {
        var other = newObjective(cycle);
        var alignment = newAlignment(objective, other);
        var stranger = acme.user("Mary Jackson", "member").api();
        var foreign = organization().admin();
        events.skip();

        admin.post("/v1/cycles", object("name", "")).isProblem(422, "validation_failed");
        admin.put("/v1/cycles/" + cycle, object("ends_at", "1999-01-01T00:00:00Z"))
                .isProblem(422, "validation_failed");
        member.post("/v1/cycles", Requests.cycle()).isProblem(403, "forbidden");
        member.post("/v1/objectives", object()).isProblem(422, "validation_failed");
        member.put(Paths.objective(objective), object("title", "Changed", "status", "lost"))
                .isProblem(422, "validation_failed");
        member.put(Paths.objective(objective), "{\"title\":").isMalformed();
        stranger.delete(Paths.objective(objective)).isProblem(403, "forbidden");
        foreign.delete(Paths.objective(objective)).isNotFound();
        member.post(Paths.keyResults(objective), Requests.keyResult(1, 1)).isProblem(422, "validation_failed");
        member.put(Paths.keyResult(objective, keyResult), object("current_value", 7, "target_value", 0))
                .isProblem(422, "validation_failed");
        member.put(Paths.keyResult(other, keyResult), object("current_value", 7))
                .isNotFound();
        stranger.delete(Paths.keyResult(objective, keyResult)).isProblem(403, "forbidden");
        member.post(Paths.checkIns(keyResult), object("note", "x")).isProblem(422, "validation_failed");
        viewer.post(Paths.checkIns(keyResult), Requests.checkIn(7)).isProblem(403, "forbidden");
        stranger.put(Paths.checkIn(keyResult, checkIn), object("value", 7)).isProblem(403, "forbidden");
        member.put(Paths.checkIn(keyResult, checkIn), object("value", 7, "note", 7))
                .isProblem(422, "validation_failed");
        member.post("/v1/alignments", Requests.alignment(objective, other)).isProblem(409, "conflict");
        member.post("/v1/alignments", Requests.alignment(other, objective)).isProblem(409, "conflict");
        member.post("/v1/alignments", Requests.alignment(other, other)).isProblem(422, "validation_failed");
        viewer.delete("/v1/alignments/" + alignment).isProblem(403, "forbidden");
        member.delete("/v1/alignments/" + IdKind.ALIGNMENT.format(UuidV7.at(Instant.now())))
                .isNotFound();

        assertThat(events.next()).isEmpty();
    }

    @RepeatedTest(3)
    void concurrent_deletions_of_one_resource_have_one_event() throws Exception {
        var alignment = newAlignment(objective, newObjective(cycle));
        events.skip();
        deleteAtOnce("/v1/alignments/" + alignment);
        assertThat(events.nextTypes()).containsExactly("alignment.deleted");
        deleteAtOnce(Paths.keyResult(objective, keyResult));
        assertThat(events.nextTypes()).containsExactly("key_result.deleted", "objective.updated");
        deleteAtOnce(Paths.objective(objective));
        assertThat(events.nextTypes()).containsExactly("objective.deleted");
    }

    @RepeatedTest(3)
    void an_alignment_whose_objectives_are_deleted_at_once_is_deleted_once() throws Exception {
        var other = newObjective(cycle);
        var alignment = newAlignment(objective, other);
        events.skip();
        var answers = AtOnce.run(List.of(
                () -> admin.delete(Paths.objective(objective)),
                () -> admin.delete("/v1/alignments/" + alignment),
                () -> admin.delete(Paths.objective(other))));
        assertThat(answers).allSatisfy(answer -> assertThat(answer.status()).isIn(200, 404));
        assertThat(events.nextTypes())
                .containsExactlyInAnyOrder(
                        "alignment.deleted", "key_result.deleted", "objective.deleted", "objective.deleted");
    }

    private void deleteAtOnce(String path) throws Exception {
        assertThat(AtOnce.run(AtOnce.times(DELETIONS, () -> admin.delete(path))))
                .extracting(Answer::status)
                .containsOnlyOnce(200)
                .containsOnly(200, 404);
    }

    @Test
    void a_retried_transaction_has_each_event_once() {
        try (var obstacle = new Obstacle(2)) {
            member.post(Paths.checkIns(keyResult), Requests.checkIn(10)).is(201);
            assertThat(obstacle.passed()).isEqualTo(3);
        }
        assertThat(events.nextTypes()).containsExactly("check_in.created", "key_result.updated", "objective.updated");
        assertThat(viewer.get(Paths.checkIns(keyResult)).ids()).hasSize(2);
    }

    @Test
    void a_change_whose_event_cannot_be_written_is_rolled_back() {
        var before = viewer.get(Paths.objective(objective)).data();
        try (var obstacle = new Obstacle(Integer.MAX_VALUE)) {
            member.post(Paths.checkIns(keyResult), Requests.checkIn(10)).isProblem(409, "conflict");
            member.put(Paths.objective(objective), object("title", "Changed")).isProblem(409, "conflict");
            admin.delete(Paths.objective(objective)).isProblem(409, "conflict");
            assertThat(obstacle.passed()).isGreaterThan(3);
        }
        assertThat(events.next()).isEmpty();
        assertThat(viewer.get(Paths.objective(objective)).data()).isEqualTo(before);
        assertThat(viewer.get(Paths.checkIns(keyResult)).ids()).hasSize(1);
    }

    /** Makes the first transactions that write an event of an objective fail with a serialization failure. */
    private final class Obstacle implements AutoCloseable {
        private final String name = "obstacle_" + acme.id().toString().replace('-', '_');

        Obstacle(int failures) {
            assumeFalse(TestDatabase.isDistributed(), "workers cannot use the sequence");
            TestDatabase.execute("CREATE SEQUENCE " + name);
            TestDatabase.execute("""
                    CREATE FUNCTION %1$s() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                        IF nextval('%1$s') <= %2$d THEN
                            RAISE EXCEPTION 'a concurrent transaction' USING ERRCODE = 'serialization_failure';
                        END IF;
                        RETURN NEW;
                    END $$
                    """.formatted(name, failures));
            TestDatabase.execute("""
                    CREATE TRIGGER %1$s BEFORE INSERT ON event FOR EACH ROW
                    WHEN (NEW.organization_id = '%2$s' AND NEW.type LIKE 'objective.%%')
                    EXECUTE FUNCTION %1$s()
                    """.formatted(name, acme.id()));
        }

        /** The number of transactions that tried to write the event. */
        long passed() {
            return TestDatabase.count("SELECT last_value FROM " + name);
        }

        @Override
        public void close() {
            TestDatabase.execute("DROP FUNCTION " + name + " CASCADE");
            TestDatabase.execute("DROP SEQUENCE " + name);
        }
    }

    /** The old values of each event equal the state before it. All events together lead to the final state. */
    @Test
    void the_events_of_two_hundred_concurrent_check_ins_form_a_chain() throws Exception {
        var keyResults = new ArrayList<>(List.of(keyResult));
        IntStream.range(1, 4).forEach(i -> keyResults.add(newKeyResult(objective, 0, 97)));
        var states = new HashMap<String, Map<String, JsonNode>>();
        remember(states, viewer.get("/v1/objectives").data().get(0));
        viewer.get(Paths.keyResults(objective)).data().forEach(each -> remember(states, each));
        events.skip();

        var answers = AtOnce.run(IntStream.range(0, CHECK_INS)
                .<Callable<Answer>>mapToObj(
                        i -> () -> member.post(Paths.checkIns(keyResults.get(i % 4)), Requests.checkIn((i * 37) % 101)))
                .toList());
        assertThat(answers).allSatisfy(answer -> answer.is(201));

        var told = events.next();
        assertThat(told.stream().filter(event -> event.type().equals("check_in.created")))
                .extracting(event -> event.data().get("id").textValue())
                .containsExactlyInAnyOrderElementsOf(
                        answers.stream().map(Answer::id).toList());
        assertThat(told)
                .extracting(Event::type)
                .containsOnly("check_in.created", "key_result.updated", "objective.updated");
        told.stream().filter(event -> event.previous() != null).forEach(event -> follow(states, event));
        assertThat(states.get(objective))
                .isEqualTo(fields(viewer.get("/v1/objectives").data().get(0)));
        viewer.get(Paths.keyResults(objective))
                .data()
                .forEach(each ->
                        assertThat(states.get(each.get("id").textValue())).isEqualTo(fields(each)));
    }

    private static void follow(Map<String, Map<String, JsonNode>> states, Event event) {
        var id = event.data().get("id").textValue();
        var before = new HashMap<>(states.get(id));
        event.previous()
                .properties()
                .forEach(old -> assertThat(old.getValue()).as(event::toString).isEqualTo(before.get(old.getKey())));
        remember(states, event.data());
        // Other fields have not changed.
        var unchanged = fields(event.data());
        unchanged.keySet().removeIf(field -> event.previous().has(field) || field.equals("updated_at"));
        before.keySet().retainAll(unchanged.keySet());
        assertThat(unchanged).as(event::toString).isEqualTo(before);
    }

    private static void remember(Map<String, Map<String, JsonNode>> states, JsonNode resource) {
        states.put(resource.get("id").textValue(), fields(resource));
    }

    private static Map<String, JsonNode> fields(JsonNode resource) {
        var fields = new HashMap<String, JsonNode>();
        resource.properties().forEach(field -> fields.put(field.getKey(), Json.tree(field.getValue())));
        return fields;
    }
}
