package dev.okr.platform.http;

import static dev.okr.testing.Json.object;
import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.platform.ids.IdKind;
import dev.okr.testing.Answer;
import dev.okr.testing.Api;
import dev.okr.testing.AtOnce;
import dev.okr.testing.HttpTest;
import dev.okr.testing.OpenApiDocument;
import dev.okr.testing.Paths;
import dev.okr.testing.Requests;
import dev.okr.testing.TestOrganization.TestTeam;
import io.quarkus.test.junit.QuarkusTest;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Entity tags and conditional requests. */
@QuarkusTest
@Tag("long")
class ConditionalTest extends HttpTest {
    private static final String OTHER = "\"AAAAAAAAAAAAAAAAAAAAAA\"";

    private String objective;
    private String keyResult;
    private String checkIn;
    private String cyclePath;
    private String objectivePath;
    private String keyResultPath;
    private String checkInPath;
    private String teamPath;
    private String webhookPath;
    private List<String> singleReads;

    @BeforeEach
    void createOneOfEach() {
        var team = acme.team("Growth");
        acme.join(team, acme.memberUser(), "member");
        var cycle = newCycle();
        objective = newObjective(cycle);
        keyResult = newKeyResult(objective, 0, 10);
        checkIn = newCheckIn(keyResult, 5);
        var webhook = newWebhook();
        cyclePath = "/v1/cycles/" + cycle;
        objectivePath = Paths.objective(objective);
        keyResultPath = Paths.keyResult(objective, keyResult);
        checkInPath = Paths.checkIn(keyResult, checkIn);
        teamPath = "/v1/teams/" + team.id();
        webhookPath = "/v1/webhooks/" + webhook;
        singleReads = List.of(
                objectivePath,
                objectivePath + "/progress",
                objectivePath + "/progress-history",
                keyResultPath,
                "/v1/key-results/" + keyResult,
                cyclePath,
                cyclePath + "/summary",
                cyclePath + "/progress-history",
                teamPath,
                teamPath + "/progress-history",
                "/v1/users/me",
                "/v1/users/" + acme.memberUser().id(),
                "/v1/imports/" + newImport(),
                webhookPath,
                webhookPath + "/deliveries/" + newDelivery(webhook));
    }

    private static String tag(Answer answer) {
        var tag = answer.header("ETag").orElseThrow(() -> new AssertionError("no ETag: " + answer));
        assertThat(tag).matches("\"[A-Za-z0-9_-]{22}\"");
        return tag;
    }

    private String tag(String path) {
        return tag(admin.get(path).is(200));
    }

    private Api ifMatch(String tags) {
        return admin.header("If-Match", tags);
    }

    private static void requireStale(Answer answer) {
        answer.isProblem(412, "precondition_failed");
    }

    @Test
    void this_test_covers_every_single_read() {
        var known = singleReads.stream()
                .map(path -> path.replaceAll("[a-z]+_[0-9a-z]{26}", "{}"))
                .toList();
        assertThat(OpenApiDocument.of(service).operations())
                .filteredOn(operation ->
                        operation.method().equals("GET") && !operation.filters().contains("page"))
                .extracting(operation -> operation.path().replaceAll("\\{[^}]*}", "{}"))
                // An export is a file without an entity tag.
                .filteredOn(path -> !path.equals("/v1/export"))
                .containsExactlyInAnyOrderElementsOf(known);
    }

    @Test
    void an_unchanged_resource_is_not_sent_again() {
        for (var path : singleReads) {
            var tag = tag(path);
            assertThat(tag(path)).as(path).isEqualTo(tag);
            for (var known : List.of(tag, "W/" + tag, OTHER + ", " + tag, OTHER + ",W/" + tag + "," + OTHER, "*")) {
                var answer = admin.header("If-None-Match", known).get(path).is(304);
                assertThat(answer.bytes()).isEmpty();
                assertThat(tag(answer)).isEqualTo(tag);
                assertThat(answer.header("Content-Type")).isEmpty();
            }
            for (var unknown : List.of(
                    OTHER,
                    "W/" + OTHER,
                    tag.replace("\"", ""),
                    "",
                    "\"\"",
                    tag + "garbage",
                    "garbage" + tag,
                    "w/" + tag,
                    OTHER + " " + tag,
                    "*, " + tag)) {
                var answer = admin.header("If-None-Match", unknown).get(path).is(200);
                assertThat(tag(answer)).isEqualTo(tag);
                assertThat(answer.data()).isNotNull();
            }
        }
    }

    @Test
    void a_condition_on_an_unknown_resource_is_a_404() {
        admin.header("If-None-Match", "*").get("/v1/objectives/nope").isNotFound();
        var elsewhere = organization().admin();
        for (var path : singleReads) {
            if (!path.equals("/v1/users/me")) {
                elsewhere.header("If-None-Match", "*").get(path).isNotFound();
            }
        }
    }

    @Test
    void a_new_resource_has_the_tag_of_its_first_read() {
        var created = List.of(
                admin.post("/v1/cycles", Requests.cycle()),
                admin.post("/v1/objectives", Requests.objective(cyclePath.substring("/v1/cycles/".length()))),
                admin.post(Paths.keyResults(objective), Requests.keyResult(1.5, 10)),
                admin.post("/v1/webhooks", object("url", "http://127.0.0.1:9/hook", "events", List.of("*"))));
        for (var answer : created) {
            assertThat(tag(answer.is(201)))
                    .as(answer::toString)
                    .isEqualTo(tag(answer.header("Location").orElseThrow()));
        }
        var rotated = admin.post(webhookPath + "/rotate-secret", null).is(200);
        assertThat(tag(rotated)).isEqualTo(tag(webhookPath));
    }

    @Test
    void a_change_returns_the_tag_of_the_next_read() {
        var changes = List.of(
                Map.entry(objectivePath, Map.of("title", "New", "status", "at_risk")),
                Map.entry(keyResultPath, Map.of("current_value", 7.25)),
                Map.entry(cyclePath, Map.of("name", "New", "ends_at", "2099-06-01T00:00:00.123456Z")),
                Map.entry(webhookPath, Map.of("events", List.of("cycle.created"))));
        for (var change : changes) {
            var path = change.getKey();
            var before = tag(path);
            var unchanged = admin.put(path, Map.of()).is(200);
            assertThat(tag(unchanged)).as(path).isEqualTo(before);
            var changed = admin.put(path, change.getValue()).is(200);
            assertThat(tag(changed)).as(path).isNotEqualTo(before).isEqualTo(tag(path));
            admin.header("If-None-Match", before).get(path).is(200);
        }
    }

    @Test
    void a_change_with_an_old_tag_is_refused() {
        var titles = Map.of(objectivePath, "title", keyResultPath, "title", cyclePath, "name", checkInPath, "note");
        titles.forEach((path, field) -> onlySeenStateIsChanged(path, field, "One", "Two", "Three", "Four"));
        onlySeenStateIsChanged(
                webhookPath,
                "url",
                "http://127.0.0.1:9/1",
                "http://127.0.0.1:9/2",
                "http://127.0.0.1:9/3",
                "http://127.0.0.1:9/4");
    }

    private void onlySeenStateIsChanged(String path, String field, String... values) {
        var first = tag(admin.put(path, Map.of()).is(200));
        var second = tag(ifMatch(first).put(path, Map.of(field, values[0])).is(200));
        assertThat(second).isNotEqualTo(first);
        for (var stale : List.of(first, "W/" + first, first + ", " + OTHER, OTHER, second.replace("\"", ""), "")) {
            requireStale(ifMatch(stale).put(path, Map.of(field, values[1])));
        }
        var unchanged = admin.put(path, Map.of()).is(200);
        assertThat(unchanged.text(field)).isEqualTo(values[0]);
        assertThat(tag(unchanged)).isEqualTo(second);

        ifMatch("*").put(path, Map.of(field, values[1])).is(200);
        var third = tag(admin.put(path, Map.of()));
        var fourth =
                tag(ifMatch("W/" + third).put(path, Map.of(field, values[2])).is(200));
        ifMatch(OTHER + ", W/" + fourth).put(path, Map.of(field, values[3])).is(200);
        assertThat(admin.put(path, Map.of()).text(field)).isEqualTo(values[3]);
    }

    @Test
    void a_deletion_with_an_old_tag_is_refused() {
        var body = Requests.alignment(objective, newObjective());
        var alignment = admin.post("/v1/alignments", body).is(201);
        requireDeletedWhenSeen("/v1/alignments/" + alignment.id(), tag(alignment));
        for (var path : List.of(webhookPath, keyResultPath, objectivePath)) {
            requireDeletedWhenSeen(path, tag(path));
            admin.get(path).isNotFound();
        }
        requireDeletedWhenSeen(Paths.objective(newObjective()), "*");
    }

    private void requireDeletedWhenSeen(String path, String tag) {
        requireStale(ifMatch(OTHER).delete(path));
        ifMatch(tag).delete(path).is(200);
        ifMatch(tag).delete(path).isNotFound();
    }

    @Test
    void a_tag_depends_on_nested_arrays() {
        requireChange(() -> newCheckIn(keyResult, 6), keyResultPath, objectivePath, cyclePath);
        // Only the key result contains the note.
        var objectiveTag = tag(objectivePath);
        requireChange(() -> admin.put(checkInPath, Map.of("note", "Late")).is(200), keyResultPath);
        assertThat(tag(objectivePath)).isEqualTo(objectiveTag);
        requireChange(() -> newKeyResult(objective, 0, 10), objectivePath);
        requireChange(() -> admin.put(keyResultPath, Map.of("title", "Renamed")).is(200), objectivePath);
        requireChange(() -> admin.delete(keyResultPath).is(200), objectivePath);
        requireChange(() -> newObjective(cyclePath.substring("/v1/cycles/".length())), cyclePath);
        requireChange(() -> acme.join(teamOf(teamPath), acme.adminUser(), "lead"), teamPath);
    }

    /** A replica may cache the user for some seconds. */
    @Test
    void the_tag_of_the_own_user_changes_within_five_seconds() throws InterruptedException {
        var before = tag("/v1/users/me");
        acme.join(teamOf(teamPath), acme.adminUser(), "lead");
        var deadline = Instant.now().plusSeconds(5);
        while (tag("/v1/users/me").equals(before)) {
            assertThat(Instant.now()).isBefore(deadline);
            Thread.sleep(50);
        }
    }

    private TestTeam teamOf(String path) {
        var id = path.substring("/v1/teams/".length());
        return new TestTeam(IdKind.TEAM.parse(id).orElseThrow(), id, "Growth");
    }

    private void requireChange(Runnable change, String... paths) {
        var before = List.of(paths).stream().map(this::tag).toList();
        change.run();
        for (int i = 0; i < paths.length; i++) {
            assertThat(tag(paths[i])).as(paths[i]).isNotEqualTo(before.get(i));
            if (paths[i].equals(objectivePath)) {
                requireStale(ifMatch(before.get(i)).put(paths[i], Map.of("title", "Too late")));
            }
        }
    }

    @Test
    void the_condition_is_checked_after_the_resource_and_before_the_fields() {
        var stale = member.header("If-Match", OTHER);
        stranger().header("If-Match", OTHER).put(objectivePath, Map.of()).isProblem(401, "unauthenticated");
        viewer.header("If-Match", OTHER).put(objectivePath, Map.of()).isProblem(403, "forbidden");
        stale.put(objectivePath, "{").isMalformed();
        stale.put("/v1/objectives/nope", Map.of("x", 1)).isNotFound();
        stale.delete("/v1/alignments/nope").isNotFound();
        var mary = acme.user("Mary Jackson", "member").api().header("If-Match", OTHER);
        mary.delete(objectivePath).isProblem(403, "forbidden");
        mary.delete(keyResultPath).isProblem(403, "forbidden");
        mary.put(checkInPath, Map.of("x", 1)).isProblem(403, "forbidden");
        for (var path : List.of(objectivePath, keyResultPath, checkInPath, cyclePath, webhookPath)) {
            requireStale(ifMatch(OTHER).put(path, Map.of("x", 1)));
            ifMatch("*").put(path, Map.of("x", 1)).isInvalid("/x unknown_field");
        }
        requireStale(ifMatch(OTHER).put(webhookPath, Map.of("url", "https://10.0.0.1/")));
    }

    @Test
    void other_methods_ignore_conditions() {
        ifMatch(OTHER).get(objectivePath).is(200);
        ifMatch(OTHER).post(Paths.checkIns(keyResult), Requests.checkIn(1)).is(201);
        admin.header("If-None-Match", "*")
                .put(objectivePath, Map.of("title", "New"))
                .is(200);
        admin.header("If-None-Match", "*").get("/v1/objectives").is(200);
    }

    @RepeatedTest(3)
    void only_one_of_many_changes_with_the_same_tag_succeeds() throws Exception {
        for (var path : List.of(objectivePath, keyResultPath)) {
            var tag = tag(path);
            var answers = AtOnce.run(IntStream.range(0, 16)
                    .<Callable<Answer>>mapToObj(i -> () -> ifMatch(tag).put(path, Map.of("title", "Change " + i)))
                    .toList());
            assertThat(answers).extracting(Answer::status).containsOnlyOnce(200).containsOnly(200, 412);
            var made = answers.stream()
                    .filter(answer -> answer.status() == 200)
                    .findFirst()
                    .orElseThrow();
            assertThat(admin.get(path).text("title")).isEqualTo(made.text("title"));
            assertThat(tag(path)).isEqualTo(tag(made));
        }
    }

    @RepeatedTest(3)
    void only_one_of_a_change_and_a_deletion_with_the_same_tag_succeeds() throws Exception {
        var tag = tag(keyResultPath);
        var answers = AtOnce.run(List.of(
                () -> ifMatch(tag).put(keyResultPath, Map.of("title", "Changed")),
                () -> ifMatch(tag).delete(keyResultPath)));
        assertThat(answers).extracting(Answer::status).containsOnlyOnce(200).containsAnyOf(404, 412);
    }
}
