package dev.okr.platform.idempotency;

import static dev.okr.testing.Json.object;
import static dev.okr.testing.Requests.with;
import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.testing.Answer;
import dev.okr.testing.Api;
import dev.okr.testing.AtOnce;
import dev.okr.testing.Events;
import dev.okr.testing.HttpTest;
import dev.okr.testing.Json;
import dev.okr.testing.OpenApiDocument;
import dev.okr.testing.Paths;
import dev.okr.testing.RawHttp;
import dev.okr.testing.Requests;
import dev.okr.testing.TestDatabase;
import io.quarkus.test.junit.QuarkusTest;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A POST with an {@code Idempotency-Key} is executed once, even if it is sent several times. */
@QuarkusTest
class IdempotencyTest extends HttpTest {
    private static final String KEY = "Idempotency-Key";
    private static final String REPLAYED = "Idempotency-Replayed";
    private static final int CHECK_INS = 1_000;
    private static final String NOTE = "n".repeat(900);
    private static final int PART_BYTES = 64 * 1_024;

    /** The client reads all parts in more time than the limit for one part. */
    private static final long MILLIS_BETWEEN_PARTS = 900;

    private static final Duration MAX_WAIT = Duration.ofSeconds(15);

    /** Headers that can differ in a replay. */
    private static final List<String> OF_THE_EXCHANGE =
            List.of("x-request-id", "idempotency-replayed", "date", "ratelimit", "ratelimit-policy");

    /** A request that the service accepts. */
    private record Post(String path, Object body, int status) {}

    /** One request for every POST, in an order in which each finds its resources. */
    private List<Post> everyPost() {
        var cycle = newCycle();
        var objective = newObjective(cycle);
        var keyResult = newKeyResult(objective, 0, 10);
        var webhook = "/v1/webhooks/" + newWebhook();
        var delivery = webhook + "/deliveries/"
                + admin.post(webhook + "/ping", null).is(202).id();
        var completed = "/v1/cycles/" + newCompletedCycle();
        var deleted = newObjective(cycle);
        member.delete(Paths.objective(deleted)).is(200);
        return List.of(
                new Post("/v1/deleted-objectives/" + deleted + "/restore", null, 201),
                new Post("/v1/cycles", Requests.cycle(), 201),
                new Post(completed + "/close", null, 200),
                new Post(completed + "/reopen", null, 200),
                new Post("/v1/cycles/" + cycle + "/carry-over", object("to", newCycle(), "values", "keep"), 201),
                new Post("/v1/teams", Map.of("name", "Team " + UUID.randomUUID()), 201),
                new Post(
                        "/v1/users",
                        Map.of("email", UUID.randomUUID() + "@acme.test", "name", "Mary", "role", "member"),
                        201),
                new Post("/v1/objectives", Requests.objective(cycle), 201),
                new Post("/v1/objectives/batch", object("objectives", List.of(Requests.objective(cycle))), 201),
                new Post(Paths.keyResults(objective), Requests.keyResult(0, 10), 201),
                new Post(Paths.checkIns(keyResult), Requests.checkIn(5), 201),
                new Post(
                        "/v1/check-ins/batch",
                        object("check_ins", List.of(object("key_result_id", keyResult, "increment", 1))),
                        201),
                new Post("/v1/alignments", Requests.alignment(objective, newObjective(cycle)), 201),
                new Post("/v1/webhooks", webhook(), 201),
                new Post(webhook + "/ping", null, 202),
                new Post(delivery + "/redeliver", null, 202),
                new Post(webhook + "/recover", Map.of("since", "2026-01-01T00:00:00Z"), 202),
                new Post(webhook + "/rotate-secret", null, 200));
    }

    /** A webhook for events that these tests do not cause. */
    private static Map<String, Object> webhook() {
        return object("url", "http://127.0.0.1:9/hook", "events", List.of("alignment.deleted"));
    }

    private static Api keyed(Api api) {
        return api.header(KEY, UUID.randomUUID().toString());
    }

    /** Expects the same response, byte for byte. */
    static void requireReplay(Answer first, Answer second) {
        assertThat(first.header(REPLAYED)).as(first::toString).isEmpty();
        assertThat(second.header(REPLAYED)).as(second::toString).hasValue("true");
        assertThat(second.status()).isEqualTo(first.status());
        assertThat(second.text()).isEqualTo(first.text());
        assertThat(lasting(second)).isEqualTo(lasting(first)).containsKey("content-type");
        assertThat(second.header("X-Request-Id")).isNotEqualTo(first.header("X-Request-Id"));
    }

    private static void requireNew(Answer first, Answer second) {
        assertThat(second.header(REPLAYED)).as(second::toString).isEmpty();
        assertThat(second.id()).isNotEqualTo(first.id());
    }

    private static Map<String, List<String>> lasting(Answer answer) {
        var headers = new HashMap<>(answer.headers().map());
        headers.keySet().removeIf(name -> OF_THE_EXCHANGE.contains(name.toLowerCase(Locale.ROOT)));
        return headers;
    }

    private long kept() {
        return TestDatabase.count("SELECT count(*) FROM idempotent_response WHERE organization_id = ?", acme.id());
    }

    private void backdate(String interval) {
        TestDatabase.execute(
                "UPDATE idempotent_response SET created_at = " + TestDatabase.shifted("created_at", "- ?::interval")
                        + " WHERE organization_id = ?",
                interval,
                acme.id());
    }

    private static void await(BooleanSupplier condition) throws InterruptedException {
        var deadline = Instant.now().plus(MAX_WAIT);
        while (!condition.getAsBoolean()) {
            assertThat(Instant.now()).isBefore(deadline);
            Thread.sleep(20);
        }
    }

    @Test
    void every_post_is_done_once_and_replayed() {
        var events = new Events(service, admin);
        var posts = everyPost();
        for (var post : posts) {
            var api = keyed(admin);
            var first = api.post(post.path(), post.body()).is(post.status());
            events.skip();
            var second = api.post(post.path(), post.body());
            requireReplay(first, second);
            assertThat(first.header("Location").isPresent()).isEqualTo(post.status() == 201);
            boolean isList = post.path().matches(".*/(batch|carry-over)");
            assertThat(first.header("ETag").isPresent()).isEqualTo(post.status() != 202 && !isList);
            assertThat(events.nextTypes()).as(post.path()).isEmpty();
            requireReplay(first, api.post(post.path(), post.body()));
        }
        assertThat(kept()).isEqualTo(posts.size());
    }

    @Test
    void this_test_covers_every_post() {
        var known = everyPost().stream()
                .map(post -> post.path().replaceAll("[a-z]+_[0-9a-z]{26}", "{}"))
                .toList();
        assertThat(OpenApiDocument.of(service).operations())
                .filteredOn(operation -> operation.method().equals("POST"))
                .extracting(operation -> operation.path().replaceAll("\\{[^}]*}", "{}"))
                // ImportFileTest tests it, because its body is not JSON.
                .filteredOn(path -> !path.equals("/v1/imports"))
                .containsExactlyInAnyOrderElementsOf(known);
    }

    @Test
    void every_post_refuses_a_malformed_key_before_it_looks_for_the_resource() {
        for (var post : everyPost()) {
            var api = admin.header(KEY, "two words");
            api.post(post.path(), post.body()).isMalformed();
            api.post(post.path().replaceAll("_[0-9a-z]{26}", "_nope"), post.body())
                    .isMalformed();
        }
        assertThat(kept()).isZero();
    }

    @Test
    void every_post_refuses_the_key_of_a_running_request() throws SQLException {
        for (var post : everyPost()) {
            var key = UUID.randomUUID().toString();
            var request = IdempotentRequest.of(acme.id(), adminKeyId(), "POST " + post.path(), key, new byte[0]);
            var api = admin.header(KEY, key);
            try (var other = connection()) {
                execute(other, "SELECT pg_advisory_xact_lock(" + request.lock() + ")");
                api.post(post.path(), post.body()).isProblem(409, "idempotency_in_flight");
                other.rollback();
            }
            api.post(post.path(), post.body()).is(post.status());
        }
    }

    private UUID adminKeyId() throws SQLException {
        try (var connection = connection();
                var query = connection.prepareStatement("SELECT id FROM api_key WHERE user_id = ?")) {
            query.setObject(1, acme.adminUser().uuid());
            try (var rows = query.executeQuery()) {
                rows.next();
                return rows.getObject(1, UUID.class);
            }
        }
    }

    @Test
    void permanent_errors_are_stored() {
        var cycle = newCycle();
        var objective = newObjective(cycle);
        var other = newObjective(cycle);
        newAlignment(objective, other);
        var refused = List.of(
                new Post("/v1/objectives/nope/key-results", Requests.keyResult(0, 1), 404),
                new Post(Paths.keyResults("obj_" + "7".repeat(3_000)), Requests.keyResult(0, 1), 404),
                new Post("/v1/objectives", object("title", "", "x", 1), 422),
                new Post("/v1/webhooks", with(webhook(), "url", "https://10.0.0.1/"), 422),
                new Post("/v1/alignments", Requests.alignment(objective, objective), 422),
                new Post("/v1/alignments", Requests.alignment(objective, other), 409),
                new Post("/v1/alignments", Requests.alignment(other, objective), 409));
        for (var post : refused) {
            var api = keyed(admin);
            var first = api.post(post.path(), post.body()).is(post.status());
            var second = api.post(post.path(), post.body());
            requireReplay(first, second);
            assertThat(second.json().get("request_id").asText())
                    .isEqualTo(first.header("X-Request-Id").orElseThrow());
        }
        assertThat(kept()).isEqualTo(refused.size());
    }

    @Test
    void a_stored_error_is_replayed_after_its_cause_is_gone() {
        var cycle = newCycle();
        var body = Requests.alignment(newObjective(cycle), newObjective(cycle));
        var alignment = member.post("/v1/alignments", body).is(201).id();
        var api = keyed(member);
        var refusal = api.post("/v1/alignments", body).isProblem(409, "conflict");
        member.delete("/v1/alignments/" + alignment).is(200);
        requireReplay(refusal, api.post("/v1/alignments", body));
        keyed(member).post("/v1/alignments", body).is(201);
    }

    @Test
    void temporary_errors_are_not_stored() {
        var webhook = "/v1/webhooks/" + newWebhook();
        var api = keyed(admin);
        admin.put(webhook, Map.of("active", false)).is(200);
        api.post(webhook + "/ping", null).isProblem(409, "conflict");
        api.post("/v1/cycles", "{").isMalformed();
        api.header("Content-Type", "text/plain").post("/v1/cycles", "{}").isProblem(415, "unsupported_media_type");
        api.header("Accept", "text/html").post("/v1/cycles", "{}").isProblem(406, "not_acceptable");
        keyed(viewer).post("/v1/objectives", Map.of()).isProblem(403, "forbidden");
        keyed(acme.scoped("read")).post("/v1/cycles", Map.of()).isProblem(403, "insufficient_scope");
        keyed(stranger()).post("/v1/cycles", Map.of()).isProblem(401, "unauthenticated");
        assertThat(kept()).isZero();

        admin.put(webhook, Map.of("active", true)).is(200);
        requireDone(api.post(webhook + "/ping", null).is(202));
        requireDone(api.post("/v1/cycles", Requests.cycle()).is(201));
    }

    private static void requireDone(Answer answer) {
        assertThat(answer.header(REPLAYED)).as(answer::toString).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"40001, 409, conflict", "53300, 503, unavailable", "XX000, 500, internal_error"})
    void a_failure_of_the_database_is_not_stored(String sqlState, int status, String code) {
        var body = with(Requests.objective(newCycle()), "title", acme.id().toString());
        var api = keyed(member);
        TestDatabase.execute("""
                CREATE FUNCTION fail_for_test() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN RAISE EXCEPTION 'a test' USING ERRCODE = '%s'; END $$
                """.formatted(sqlState));
        try {
            TestDatabase.execute("""
                    CREATE TRIGGER fail_for_test BEFORE INSERT ON objective FOR EACH ROW
                    WHEN (NEW.title = '%s') EXECUTE FUNCTION fail_for_test()
                    """.formatted(acme.id()));
            api.post("/v1/objectives", body).isProblem(status, code);
        } finally {
            TestDatabase.execute("DROP FUNCTION fail_for_test() CASCADE");
        }
        assertThat(kept()).isZero();
        var first = api.post("/v1/objectives", body).is(201);
        requireReplay(first, api.post("/v1/objectives", body));
    }

    @Test
    void a_key_may_have_quotes() {
        var key = UUID.randomUUID().toString();
        var first = admin.header(KEY, key).post("/v1/cycles", Requests.cycle()).is(201);
        requireReplay(first, admin.header(KEY, '"' + key + '"').post("/v1/cycles", Requests.cycle()));
    }

    @ParameterizedTest
    @ValueSource(strings = {"!", "~", "\"", "a\"b", "a,b", "\"a/b\\c\""})
    void a_key_may_be_any_visible_ascii_text(String key) {
        var api = admin.header(KEY, key);
        var first = api.post("/v1/cycles", Requests.cycle()).is(201);
        requireReplay(first, api.post("/v1/cycles", Requests.cycle()));
    }

    @Test
    void a_key_has_1_to_255_characters() {
        var longest = "k".repeat(255);
        var first =
                admin.header(KEY, longest).post("/v1/cycles", Requests.cycle()).is(201);
        requireReplay(first, admin.header(KEY, '"' + longest + '"').post("/v1/cycles", Requests.cycle()));
        for (var key : List.of("", "\"\"", longest + 'k', "a b", "a\tb", "a, b", "\"a b\"")) {
            admin.header(KEY, key).post("/v1/cycles", Requests.cycle()).isMalformed();
        }
    }

    /** The service sends large responses in parts, and each part has its own time limit. */
    @Test
    void a_slow_client_gets_a_large_stored_response() throws Exception {
        var token = acme.key(acme.adminUser().uuid());
        var item = object("key_result_id", newKeyResult(newObjective(newCycle()), 0, 10), "value", 1, "note", NOTE);
        var body = Json.write(object("check_ins", Collections.nCopies(CHECK_INS, item)));
        var request = """
                POST /v1/check-ins/batch HTTP/1.1
                Host: localhost
                Connection: close
                Authorization: Bearer %s
                Content-Type: application/json
                Content-Length: %d
                Idempotency-Key: large

                %s""".formatted(token, body.length(), body).replace("\n", "\r\n");
        try (var socket = new Socket(service.getHost(), service.getPort())) {
            socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
            assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1))
                    .startsWith("HTTP/1.1 201 ");
        }
        try (var socket = new Socket()) {
            socket.setReceiveBufferSize(PART_BYTES);
            socket.connect(new InetSocketAddress(service.getHost(), service.getPort()));
            socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
            int length = 0;
            for (int part = socket.getInputStream().readNBytes(PART_BYTES).length;
                    part > 0;
                    part = socket.getInputStream().readNBytes(PART_BYTES).length) {
                length += part;
                Thread.sleep(MILLIS_BETWEEN_PARTS);
            }
            assertThat(length).isGreaterThan(CHECK_INS * NOTE.length());
        }
    }

    @Test
    void a_key_outside_ascii_and_a_repeated_key_are_malformed() {
        var token = acme.key(acme.adminUser().uuid());
        for (var keys : List.of("Idempotency-Key: sch\u00FCssel", "Idempotency-Key: a\r\nIdempotency-Key: a")) {
            var body = Json.write(Requests.cycle());
            var answer = RawHttp.send(service, """
                    POST /v1/cycles HTTP/1.1
                    Host: localhost
                    Authorization: Bearer %s
                    Content-Type: application/json
                    Content-Length: %d
                    %s

                    %s""".formatted(token, body.length(), keys, body)
                    .replace("\r\n", "\n")
                    .replace("\n", "\r\n"));
            assertThat(answer).startsWith("HTTP/1.1 400 ").contains("\"code\":\"malformed_request\"");
        }
        assertThat(admin.get("/v1/cycles").ids()).isEmpty();
    }

    @Test
    void the_key_is_checked_in_the_order_of_the_contract() {
        var malformed = "two words";
        viewer.header(KEY, malformed).post("/v1/cycles", "{").isProblem(403, "forbidden");
        admin.header(KEY, malformed)
                .header("Content-Type", "text/plain")
                .post("/v1/cycles", "x")
                .isProblem(415, "unsupported_media_type");
        admin.header(KEY, malformed)
                .post("/v1/objectives/nope/key-results", Map.of())
                .isMalformed();
        var api = keyed(admin);
        api.post("/v1/objectives/nope/key-results", Map.of()).isNotFound();
        api.post("/v1/objectives/nope/key-results", Map.of("x", 1)).isProblem(422, "idempotency_mismatch");
    }

    @Test
    void another_body_with_the_same_key_is_refused_and_changes_nothing() {
        var api = keyed(admin);
        var first = api.post("/v1/cycles", Requests.cycle()).is(201);
        for (var body :
                List.of(with(Requests.cycle(), "name", "Another"), Map.of(), Json.write(Requests.cycle()) + ' ')) {
            api.post("/v1/cycles", body).isProblem(422, "idempotency_mismatch");
        }
        requireReplay(first, api.post("/v1/cycles", Requests.cycle()));
        assertThat(admin.get("/v1/cycles").ids()).containsExactly(first.id());
    }

    @Test
    void a_key_applies_only_to_its_path_its_api_key_and_its_organisation() {
        var cycle = newCycle();
        var key = UUID.randomUUID().toString();
        var api = member.header(KEY, key);
        var first = api.post("/v1/objectives", Requests.objective(cycle)).is(201);

        var keyResult = api.post(Paths.keyResults(first.id()), Requests.keyResult(0, 10))
                .is(201);
        requireNew(
                keyResult,
                api.post(Paths.keyResults(newObjective(cycle)), Requests.keyResult(0, 10))
                        .is(201));
        var sameUser = stranger().with(acme.key(acme.memberUser().uuid())).header(KEY, key);
        requireNew(
                first,
                sameUser.post("/v1/objectives", Requests.objective(cycle)).is(201));
        admin.header(KEY, key).post("/v1/cycles", Requests.cycle()).is(201);
        requireDone(organization()
                .admin()
                .header(KEY, key)
                .post("/v1/cycles", Requests.cycle())
                .is(201));
    }

    @Test
    void other_methods_ignore_a_key() {
        var objective = newObjective();
        var api = keyed(member);
        assertThat(api.put(Paths.objective(objective), Map.of("title", "One")).text("title"))
                .isEqualTo("One");
        assertThat(api.put(Paths.objective(objective), Map.of("title", "Two")).text("title"))
                .isEqualTo("Two");
        api.delete(Paths.objective(objective)).is(200);
        api.delete(Paths.objective(objective)).isNotFound();
        assertThat(kept()).isZero();
    }

    @Test
    void fifty_equal_concurrent_posts_are_done_once() throws Exception {
        var body = Requests.objective(newCycle());
        var events = new Events(service, admin);
        events.skip();
        var api = keyed(member);

        var answers = AtOnce.run(AtOnce.times(50, () -> api.post("/v1/objectives", body)));

        assertThat(answers).allSatisfy(answer -> {
            if (answer.status() != 201) {
                answer.isProblem(409, "idempotency_in_flight");
            }
        });
        var created = answers.stream().filter(answer -> answer.status() == 201).toList();
        assertThat(created)
                .extracting(Answer::text)
                .hasSizeGreaterThan(0)
                .containsOnly(created.getFirst().text());
        assertThat(created.stream().filter(answer -> answer.header(REPLAYED).isEmpty()))
                .hasSize(1);
        assertThat(member.get("/v1/objectives").ids())
                .containsExactly(created.getFirst().id());
        assertThat(events.nextTypes()).containsExactly("objective.created");
    }

    @Test
    void fifty_equal_concurrent_errors_are_stored_once() throws Exception {
        var api = keyed(member);
        var answers = AtOnce.run(AtOnce.times(50, () -> api.post("/v1/objectives", Map.of())));
        assertThat(answers).allSatisfy(answer -> assertThat(answer.status()).isIn(422, 409));
        assertThat(answers.stream()
                        .filter(answer -> answer.status() == 422)
                        .map(Answer::text)
                        .distinct())
                .hasSize(1);
        assertThat(kept()).isOne();
    }

    @Test
    void a_request_whose_transaction_is_killed_releases_its_key() throws Exception {
        var objective = newObjective();
        var api = keyed(member);
        var path = Paths.keyResults(objective);
        var body = Requests.keyResult(0, 10);
        try (var other = connection();
                var client = Executors.newSingleThreadExecutor()) {
            execute(other, "SELECT 1 FROM objective WHERE organization_id = '" + acme.id() + "' FOR UPDATE");
            var dying = client.submit(() -> api.post(path, body));
            await(() -> TestDatabase.count("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 1")
                    == 1);
            api.post(path, body).isProblem(409, "idempotency_in_flight");
            TestDatabase.count(
                    "SELECT count(pg_terminate_backend(pid)) FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 1");
            assertThat(dying.get(AtOnce.MAX_SECONDS, TimeUnit.SECONDS).status()).isEqualTo(503);
            other.rollback();
        }
        var first = api.post(path, body).is(201);
        requireReplay(first, api.post(path, body));
        assertThat(TestDatabase.count("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 1"))
                .isZero();
    }

    @Test
    void a_stored_secret_is_encrypted() {
        var own = "a secret of the caller's own";
        var secrets = new ArrayList<String>(List.of(own));
        var create = keyed(admin);
        var body = with(webhook(), "secret", own);
        var created = create.post("/v1/webhooks", body).is(201);
        var rotate = keyed(admin);
        var path = "/v1/webhooks/%s/rotate-secret".formatted(created.id());
        var rotated = rotate.post(path, null).is(200);
        secrets.add(rotated.text("secret"));

        assertThat(kept()).isEqualTo(2);
        for (var secret : secrets) {
            assertThat(TestDatabase.count(
                            "SELECT count(*) FROM idempotent_response kept WHERE organization_id = ?"
                                    + " AND secret_key_id IS NOT NULL AND kept::text NOT LIKE ?"
                                    + " AND kept::text NOT LIKE ?",
                            acme.id(),
                            '%' + secret + '%',
                            '%' + HexFormat.of().formatHex(secret.getBytes(StandardCharsets.UTF_8)) + '%'))
                    .isEqualTo(2);
        }
        requireReplay(created, create.post("/v1/webhooks", body));
        requireReplay(rotated, rotate.post(path, null));
        assertThat(created.text("secret")).isEqualTo(own);
    }

    @Test
    void a_response_is_stored_for_24_hours() throws InterruptedException {
        var body = Requests.objective(newCycle());
        var api = keyed(admin);
        var first = api.post("/v1/objectives", body).is(201);
        backdate("23 hours 59 minutes");
        requireReplay(first, api.post("/v1/objectives", body));
        backdate("2 minutes");
        var second = api.post("/v1/objectives", body).is(201);
        requireNew(first, second);
        requireReplay(second, api.post("/v1/objectives", body));
        // Then another body is allowed too.
        backdate("25 hours");
        api.post("/v1/objectives", with(body, "title", "Another")).is(201);

        keyed(admin).post("/v1/objectives", body).is(201);
        assertThat(kept()).isEqualTo(2);
        TestDatabase.execute(
                "UPDATE idempotent_response SET created_at = now() - interval '25 hours' WHERE organization_id = ?"
                        + " AND route_and_key_hash ="
                        + " (SELECT route_and_key_hash FROM idempotent_response WHERE organization_id = ? LIMIT 1)",
                acme.id(),
                acme.id());
        await(() -> kept() == 1);
    }

    private static Connection connection() throws SQLException {
        var connection =
                DriverManager.getConnection(TestDatabase.jdbcUrl(), TestDatabase.username(), TestDatabase.password());
        connection.setAutoCommit(false);
        return connection;
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (var statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
