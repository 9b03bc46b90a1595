package dev.okr.objectives;

import static dev.okr.testing.Json.object;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.okr.testing.Answer;
import dev.okr.testing.Events;
import dev.okr.testing.HttpTest;
import dev.okr.testing.Paths;
import dev.okr.testing.Requests;
import dev.okr.testing.TestDatabase;
import io.quarkus.test.junit.QuarkusTest;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The last change of each resource was made by a replica whose clock is ahead. */
@QuarkusTest
class SlowClockTest extends HttpTest {
    // Responses show whole seconds. One microsecond later is the next second.
    private final Instant later = Instant.now().truncatedTo(ChronoUnit.SECONDS).plus(Duration.ofMinutes(10));
    private final Instant last = later.minus(1, ChronoUnit.MICROS);

    private Events events;

    @BeforeEach
    void follow() {
        events = new Events(service, admin);
    }

    @Test
    void an_objective() {
        var path = Paths.objective(newObjective());
        setLast("objective");
        var tag = viewer.get(path).header("ETag").orElseThrow();
        requireLater("objective.updated", path, member.header("If-Match", tag).put(path, object("title", "New")));
        member.header("If-Match", tag).put(path, object("title", "Newer")).isProblem(412, "precondition_failed");
        setLast("objective");
        requireLater("objective.updated", path, member.send("PATCH", path, object("status", "on_track")));
        setLast("objective");
        member.delete(path).is(200);
        events.skip();
        var restored = member.post(path.replace("/objectives/", "/deleted-objectives/") + "/restore", null);
        requireLater("objective.restored", path, restored);
    }

    @Test
    void a_key_result() {
        var objective = newObjective();
        var keyResult = newKeyResult(objective, 0, 10);
        var path = Paths.keyResult(objective, keyResult);
        setLast("key_result", "objective");
        requireLater("key_result.updated", path, member.put(path, object("title", "New")));
        setLast("key_result", "objective");
        requireLater("key_result.updated", path, member.send("PATCH", path, object("current_value", 1)));
    }

    @Test
    void a_key_result_with_a_new_check_in() {
        var objective = newObjective();
        var keyResult = newKeyResult(objective, 0, 10);
        var path = Paths.keyResult(objective, keyResult);
        setLast("key_result", "objective");
        newCheckIn(keyResult, 2);
        requireLaterProgress(path);
        setLast("key_result", "objective");
        var body = Requests.with(Requests.checkIn(3), "key_result_id", keyResult);
        member.post("/v1/check-ins/batch", object("check_ins", List.of(body))).is(201);
        requireLaterProgress(path);
    }

    @Test
    void a_check_in() {
        var objective = newObjective();
        var keyResult = newKeyResult(objective, 0, 10);
        var checkIn = Paths.checkIn(keyResult, newCheckIn(keyResult, 2));
        setLast("check_in", "key_result", "objective");
        var changed = member.put(checkIn, object("value", 3));
        var sent = requireLater("check_in.updated", Paths.checkIns(keyResult), changed);
        assertThat(sent)
                .filteredOn(event -> !event.type().startsWith("check_in"))
                .extracting(event -> event.type() + ' ' + updatedAt(event.data()))
                .containsExactly("key_result.updated " + later, "objective.updated " + later);
    }

    @Test
    void an_alignment() {
        var cycle = newCycle();
        var alignment = newAlignment(newObjective(cycle), newObjective(cycle));
        setLast("alignment");
        var changed = admin.put("/v1/alignments/" + alignment, object("weight", 2));
        requireLater("alignment.updated", "/v1/alignments", changed);
    }

    @Test
    void a_cycle() {
        var path = "/v1/cycles/" + newCompletedCycle();
        setLast("cycle");
        requireLater("cycle.updated", path, admin.put(path, object("name", "New")));
        setLast("cycle");
        requireLater("cycle.updated", path, admin.post(path + "/close", null));
        setLast("cycle");
        requireLater("cycle.updated", path, admin.post(path + "/reopen", null));
    }

    @Test
    void a_cycle_that_begins() {
        var path = "/v1/cycles/" + newCycle();
        events.skip();
        TestDatabase.execute(
                "UPDATE cycle SET status = 'planned', starts_at = now() - interval '1 day',"
                        + " ends_at = now() + interval '1 day', updated_at = '" + last + "' WHERE organization_id = ?",
                acme.id());
        var sent = new ArrayList<Events.Event>();
        await(() -> sent.addAll(events.next()), () -> "the event of " + path);
        assertThat(sent).extracting(event -> updatedAt(event.data())).containsExactly(later.toString());
        assertThat(updatedAt(viewer.get(path).data())).isEqualTo(later.toString());
    }

    @Test
    void a_team_and_a_user() {
        var team = "/v1/teams/" + acme.team("Platform").id();
        var user = "/v1/users/" + acme.viewerUser().id();
        setLast("team", "users");
        requireLater("team.updated", team, admin.put(team, object("name", "New")));
        requireLater("user.updated", user, admin.put(user, object("name", "New")));
    }

    @Test
    void a_webhook() {
        var path = "/v1/webhooks/" + newWebhook();
        setLast("webhook");
        var changed = admin.put(path, Map.of("active", false)).is(200);
        assertThat(updatedAt(changed.data())).isEqualTo(later.toString());
    }

    private void setLast(String... tables) {
        for (var table : tables) {
            TestDatabase.execute(
                    "UPDATE " + table + " SET updated_at = '" + last + "' WHERE organization_id = ?", acme.id());
        }
        events.skip();
    }

    /** @param path of the resource, or of a list that contains only the resource */
    private List<Events.Event> requireLater(String type, String path, Answer changed) {
        assertThat(changed.status()).as(changed::toString).isBetween(200, 201);
        assertThat(updatedAt(changed.data())).isEqualTo(later.toString());
        var shown = viewer.get(path).is(200);
        if (shown.data().isArray()) {
            assertThat(shown.data()).containsExactly(changed.data());
        } else {
            assertThat(updatedAt(shown.data())).isEqualTo(later.toString());
            assertThat(shown.header("ETag")).isPresent().isEqualTo(changed.header("ETag"));
        }
        var sent = events.next();
        assertThat(sent)
                .filteredOn(event -> event.type().equals(type))
                .singleElement()
                .satisfies(event -> assertThat(updatedAt(event.data())).isEqualTo(later.toString()));
        return sent;
    }

    private void requireLaterProgress(String keyResult) {
        assertThat(events.next())
                .filteredOn(event -> event.type().endsWith(".updated"))
                .extracting(event -> event.type() + ' ' + updatedAt(event.data()))
                .containsExactly("key_result.updated " + later, "objective.updated " + later);
        assertThat(updatedAt(viewer.get(keyResult).data())).isEqualTo(later.toString());
    }

    private static String updatedAt(JsonNode data) {
        return data.required("updated_at").textValue();
    }
}
