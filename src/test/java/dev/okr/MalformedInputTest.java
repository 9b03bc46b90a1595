package dev.okr;

import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.testing.Answer;
import dev.okr.testing.HttpTest;
import dev.okr.testing.Json;
import dev.okr.testing.Nonsense;
import dev.okr.testing.Paths;
import dev.okr.testing.RawHttp;
import dev.okr.testing.Requests;
import dev.okr.testing.TestDatabase;
import io.quarkus.test.junit.QuarkusTest;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Random input gets a 4xx problem, or a success if it is valid. It never causes a 5xx. Every response is checked
 * against the OpenAPI document too. {@code -Dokr.test.seed=…} selects other input.
 */
@QuarkusTest
class MalformedInputTest extends HttpTest {
    private static final long SEED = Long.getLong("okr.test.seed", 20_260_131L);
    private static final int BODIES = 1_000;
    private static final int ADDRESSES = 400;
    private static final int HEADERS = 100;
    private static final String EMAIL = UUID.randomUUID() + "@acme.test";

    private static final List<String> ACTIONS =
            List.of("/v1/cycles/%s/close", "/v1/cycles/%s/reopen", "/v1/deleted-objectives/%s/restore");

    private final Nonsense nonsense = new Nonsense(SEED);
    private List<Writing> writings;
    private List<String> lists;

    /** A request that the service accepts with this body. */
    private record Writing(String method, String path, Map<String, Object> body) {}

    @BeforeEach
    void prepareValidRequests() {
        var cycle = newCycle();
        var objective = newObjective(cycle);
        var other = newObjective(cycle);
        var keyResult = newKeyResult(objective, 0, 10);
        var checkIn = newCheckIn(keyResult, 5);
        var alignment = newAlignment(newObjective(cycle), objective);
        var team = "/v1/teams/" + acme.team("Sales").id();
        var user = acme.user("Mary Jackson", "member").id();
        // This test does not cause the subscribed events, so nothing is sent.
        var webhookBody = Json.object("url", "https://127.0.0.1:9/hook", "events", List.of("alignment.deleted"));
        var webhook = "/v1/webhooks/"
                + admin.post("/v1/webhooks", webhookBody).is(201).id();
        var objectiveBody = Requests.with(
                Requests.objective(cycle),
                "description",
                "Why",
                "team_id",
                acme.team("Growth").id(),
                "owner_id",
                acme.memberUser().id());
        writings = List.of(
                new Writing("POST", "/v1/cycles", Requests.cycle()),
                new Writing("PUT", "/v1/cycles/" + cycle, Requests.cycle()),
                new Writing("POST", "/v1/objectives", objectiveBody),
                new Writing("PUT", Paths.objective(objective), Requests.with(objectiveBody, "status", "on_track")),
                new Writing("POST", Paths.keyResults(objective), Requests.keyResult(0, 10)),
                new Writing(
                        "PUT",
                        Paths.keyResult(objective, keyResult),
                        Json.object("title", "x", "current_value", 5, "target_value", 10)),
                new Writing("POST", Paths.checkIns(keyResult), Json.object("value", 5, "note", "x")),
                new Writing("PUT", Paths.checkIn(keyResult, checkIn), Json.object("value", 5, "note", "x")),
                new Writing(
                        "POST",
                        Paths.checkIns(keyResult),
                        Json.object("increment", 1, "confidence", 5, "recorded_at", "2026-01-31T09:30:00Z")),
                new Writing(
                        "POST",
                        "/v1/check-ins/batch",
                        Json.object("check_ins", List.of(Json.object("key_result_id", keyResult, "value", 5)))),
                new Writing("PATCH", "/v1/key-results/" + keyResult, Json.object("title", "x", "external_id", "y")),
                new Writing("POST", "/v1/alignments", Requests.alignment(objective, other)),
                new Writing("PUT", "/v1/alignments/" + alignment, Json.object("weight", 2)),
                new Writing(
                        "POST",
                        "/v1/objectives/batch",
                        Json.object(
                                "objectives",
                                List.of(Requests.with(
                                        objectiveBody, "key_results", List.of(Requests.keyResult(0, 10)))))),
                new Writing(
                        "POST",
                        "/v1/cycles/" + cycle + "/carry-over",
                        Json.object("to", newCycle(), "values", "keep", "objective_ids", List.of(other))),
                new Writing("POST", "/v1/teams", Json.object("name", "Platform", "external_id", "hr-1")),
                new Writing("PUT", team, Json.object("name", "Retail", "external_id", "hr-2")),
                new Writing("PUT", team + "/members/" + user, Json.object("role", "lead")),
                new Writing("POST", "/v1/users", Json.object("email", EMAIL, "name", "Annie", "role", "viewer")),
                new Writing("PUT", "/v1/users/" + user, Json.object("name", "Mary", "role", "viewer", "active", true)),
                new Writing("POST", "/v1/webhooks", webhookBody),
                new Writing("PUT", webhook, Requests.with(webhookBody, "active", true)),
                new Writing("POST", webhook + "/recover", Json.object("since", "2026-01-31T09:30:00Z")));
        lists = List.of(
                "/v1/objectives",
                Paths.keyResults(objective),
                Paths.checkIns(keyResult),
                "/v1/key-results",
                "/v1/check-ins",
                "/v1/cycles",
                "/v1/teams",
                "/v1/users",
                "/v1/alignments",
                "/v1/deleted-objectives",
                "/v1/imports",
                team + "/objectives",
                team + "/progress-history",
                Paths.objective(objective) + "/progress",
                Paths.objective(objective) + "/progress-history",
                "/v1/cycles/" + cycle + "/progress-history",
                "/v1/cycles/" + cycle + "/summary",
                "/v1/webhooks",
                webhook + "/deliveries",
                "/v1/events");
    }

    @Test
    void random_bodies_never_make_the_service_fail() {
        for (int i = 0; i < BODIES; i++) {
            var writing = nonsense.oneOf(writings);
            blamesTheCaller(admin.send(writing.method(), writing.path(), nonsense.body(writing.body())));
        }
        assertThat(TestDatabase.count(
                        "SELECT count(*) FROM objective WHERE organization_id = ? AND (title ~ '[[:cntrl:]]')"
                                + " AND title !~ '[\\n\\t]'",
                        acme.id()))
                .isZero();
    }

    @Test
    void random_addresses_never_make_the_service_fail() {
        for (int i = 0; i < ADDRESSES; i++) {
            blamesTheCaller(admin.get(nonsense.oneOf(lists) + nonsense.query()));
            var segment = nonsense.pathSegment();
            blamesTheCaller(admin.send("POST", nonsense.oneOf(ACTIONS).formatted(segment), nonsense.body(Map.of())));
            var method = nonsense.oneOf(List.of("GET", "DELETE", "PUT"));
            blamesTheCaller(
                    admin.send(method, nonsense.oneOf(lists) + '/' + segment, method.equals("PUT") ? Map.of() : null));
        }
    }

    @Test
    void random_headers_never_make_the_service_fail() {
        for (int i = 0; i < HEADERS; i++) {
            var writing = nonsense.oneOf(writings);
            blamesTheCaller(admin.header("Content-Type", nonsense.header())
                    .header("Accept", nonsense.header())
                    .header("X-Request-Id", nonsense.header())
                    .send(writing.method(), writing.path(), writing.body()));
            blamesTheCaller(
                    stranger().header("Authorization", nonsense.header()).get("/v1/users/me"));
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "GET /v1/cycles HTTP/1.1\r\nHost: x\r\nX: %s\r\n\r\n",
                "GET /v1/cycles HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \u0000\r\n\r\n",
                "GET /v1/cycles HTTP/1.1\r\nHost: x\r\nBad Name: x\r\n\r\n",
                "GET /v1/cycles?q=%s HTTP/1.1\r\nHost: x\r\n\r\n",
                "GET /v1/cycles HTTP/9.9\r\nHost: x\r\n\r\n",
                "GET /v1/\u0000cycles HTTP/1.1\r\nHost: x\r\n\r\n",
                "G\u0000T /v1/cycles HTTP/1.1\r\nHost: x\r\n\r\n",
                "FETCH /v1/cycles HTTP/1.1\r\nHost: x\r\n\r\n",
                "POST /v1/cycles HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
                "POST /v1/cycles HTTP/1.1\r\nHost: x\r\nContent-Length: x\r\n\r\n",
                "POST /v1/cycles HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
                "POST /v1/cycles HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}",
                "POST /v1/cycles HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: nope\r\nContent-Length: 2\r\n\r\n{}"
            })
    void invalid_http_is_not_a_server_error(String request) {
        var answer = RawHttp.send(service, request.formatted("a".repeat(100_000)));
        assertThat(answer).matches("(?s)(HTTP/[0-9.]+ 4\\d\\d .*)?");
        viewer.get("/v1/cycles").is(200);
    }

    private static void blamesTheCaller(Answer answer) {
        assertThat(answer.status()).as(answer::toString).isBetween(200, 499);
    }
}
