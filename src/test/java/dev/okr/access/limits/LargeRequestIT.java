package dev.okr.access.limits;

import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.platform.ids.IdKind;
import dev.okr.testing.Answer;
import dev.okr.testing.Api;
import dev.okr.testing.Assistant;
import dev.okr.testing.HttpTest;
import dev.okr.testing.Json;
import dev.okr.testing.Paths;
import dev.okr.testing.Requests;
import dev.okr.testing.ServiceProcess;
import dev.okr.testing.TestDatabase;
import dev.okr.testing.TestOrganization;
import io.quarkus.test.junit.DisabledOnIntegrationTest;
import io.quarkus.test.junit.QuarkusIntegrationTest;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The limits of large requests. With a heap of 256 MiB, a replica runs only one of them at a time. */
@QuarkusIntegrationTest
@DisabledOnIntegrationTest(forArtifactTypes = DisabledOnIntegrationTest.ArtifactType.NATIVE_BINARY)
class LargeRequestIT extends HttpTest {
    private static final String BATCH = "/v1/check-ins/batch";
    private static final String CARRY_OVER = "/v1/cycles/%s/carry-over";
    private static final int ATTEMPTS = 3;
    private static final int CHECK_INS = 150;
    private static final String TEAM = "{\"name\": \"Platform\"}";
    private static final int LARGE = 20_000;

    /** Counts the transactions that wait for a lock of this connection. Others, for example the poller, can wait for other locks. */
    private static final String BLOCKED =
            "SELECT count(*) FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY (pg_blocking_pids(pid))";

    private static final int CLIENTS = 4;

    private static final int PART_BYTES = 1 << 18;
    private static final long UPLOAD_BYTES = 200L << 20;

    /** Parents are locked in the order of their ids. */
    private static final String LAST_PARENT = "objective WHERE id = (SELECT max(parent_objective_id::text)::uuid"
            + " FROM alignment WHERE child_objective_id = ?)";

    /** Together they have more than a million characters. */
    private static final int PARENTS = 130;

    /** A note of the maximum length. {@link #LONG_NOTES} of them have more than 256 KiB. */
    private static final String LONG_NOTE = "\uD83D\uDE00".repeat(4_096);

    private static final int LONG_NOTES = 20;

    /** Longer than one large request can wait for its turn, for a permit, and for another turn. */
    private static final Duration STORM = Duration.ofSeconds(12);

    private static final Duration MAX_WAIT = Duration.ofSeconds(3);

    @Test
    void requests_that_wait_for_a_lock_of_their_organisation_do_not_block_those_of_others() throws Exception {
        var other = organization();
        var locked = checkIns(acme);
        var free = checkIns(other);
        var isOver = new AtomicBoolean();
        try (var replica = ServiceProcess.onTestDatabase(Map.of("JAVA_TOOL_OPTIONS", "-Xmx256m"));
                var importing = TestDatabase.connect();
                var clients = Executors.newVirtualThreadPerTaskExecutor()) {
            var waiting = admin.at(replica.uri());
            var service = other.admin().at(replica.uri());
            // The first requests of a new process are slow.
            service.post(BATCH, free).is(201);
            // The locks that an import of all objectives holds.
            lock(importing, "organization WHERE id = ?", acme.id());
            lock(importing, "objective WHERE organization_id = ?", acme.id());
            // The small changes use all turns of the organisation, so its large ones also wait for turns.
            var storm = Stream.<Callable<Answer>>of(
                            () -> waiting.post(BATCH, locked),
                            () -> waiting.post("/v1/teams", TEAM + " ".repeat(LARGE)),
                            () -> waiting.post("/v1/teams", TEAM))
                    .flatMap(request -> Collections.nCopies(CLIENTS, request).stream())
                    .map(request -> clients.submit(() -> repeat(request, isOver)))
                    .toList();
            try {
                await(() -> blocks(importing), () -> "no request waits");
                var end = Instant.now().plus(STORM);
                while (Instant.now().isBefore(end)) {
                    long start = System.nanoTime();
                    service.post(BATCH, free).is(201);
                    assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(MAX_WAIT);
                }
            } finally {
                isOver.set(true);
            }
            for (var each : storm) {
                each.get();
            }
        }
    }

    /** This replica has one permit for other large requests. A large body needs it until it is parsed. */
    @Test
    void carrying_over_does_not_delay_other_large_requests() throws Exception {
        var other = organization();
        var free = checkIns(other);
        var from = admin.post("/v1/cycles", Requests.uniqueCycle()).is(201).id();
        var to = admin.post("/v1/cycles", Requests.uniqueCycle()).is(201).id();
        objective(admin, from);
        try (var replica = ServiceProcess.onTestDatabase(Map.of("JAVA_TOOL_OPTIONS", "-Xmx256m"));
                var locking = TestDatabase.connect();
                var clients = Executors.newVirtualThreadPerTaskExecutor()) {
            var service = other.admin().at(replica.uri());
            service.post(BATCH, free).is(201);
            lock(locking, "cycle WHERE id = ?", IdKind.CYCLE.require(to));
            var request = "{\"to\": \"%s\", \"values\": \"keep\"}".formatted(to) + " ".repeat(LARGE);
            boolean isBeside = false;
            // On a slow machine, carrying over can end before the batch. Then the next attempt follows.
            for (int attempt = 0; attempt < ATTEMPTS && !isBeside; attempt++) {
                var waiting = startUntilBlocked(
                        clients, locking, () -> admin.at(replica.uri()).post(CARRY_OVER.formatted(from), request));
                service.post(BATCH, free).is(201);
                isBeside = !waiting.isDone();
                waiting.get().isProblem(503, "unavailable");
            }
            assertThat(isBeside).as("a batch ends while carrying over waits").isTrue();
        }
    }

    @Test
    void a_replica_carries_over_for_one_organisation_at_a_time() throws Exception {
        var other = organization();
        var from = admin.post("/v1/cycles", Requests.uniqueCycle()).is(201).id();
        var to = admin.post("/v1/cycles", Requests.uniqueCycle()).is(201).id();
        var othersFrom =
                other.admin().post("/v1/cycles", Requests.uniqueCycle()).is(201).id();
        var othersTo =
                other.admin().post("/v1/cycles", Requests.uniqueCycle()).is(201).id();
        try (var replica = ServiceProcess.onTestDatabase(Map.of());
                var locking = TestDatabase.connect();
                var clients = Executors.newVirtualThreadPerTaskExecutor()) {
            lock(locking, "cycle WHERE id = ?", IdKind.CYCLE.require(to));
            var waiting = startUntilBlocked(
                    clients,
                    locking,
                    () -> admin.at(replica.uri())
                            .post(CARRY_OVER.formatted(from), Json.object("to", to, "values", "keep")));
            other.admin()
                    .at(replica.uri())
                    .post(CARRY_OVER.formatted(othersFrom), Json.object("to", othersTo, "values", "keep"))
                    .is(201);
            assertThat(waiting.isDone() || !blocks(locking))
                    .as("the second waits for the first")
                    .isTrue();
            waiting.get().isProblem(503, "unavailable");
        }
    }

    @ParameterizedTest
    @CsvSource({"/v1/key-results/%s, 304", "/v1/key-results/%s/check-ins, 200"})
    void an_organisation_reads_one_large_response_at_a_time(String path, int status) throws Exception {
        var cycle = admin.post("/v1/cycles", Requests.uniqueCycle()).is(201).id();
        var keyResult = keyResult(admin, objective(admin, cycle));
        var checkIn = Json.object("key_result_id", keyResult, "value", 1, "note", LONG_NOTE);
        admin.post(BATCH, Json.object("check_ins", Collections.nCopies(LONG_NOTES, checkIn)))
                .is(201);
        try (var replica = ServiceProcess.onTestDatabase(Map.of());
                var locking = TestDatabase.connect();
                var clients = Executors.newVirtualThreadPerTaskExecutor()) {
            var api = admin.at(replica.uri()).header("If-None-Match", "*");
            var large = path.formatted(keyResult);
            // The replica learns from the first response that this operation is large.
            api.get(large).is(status);
            locking.setAutoCommit(false);
            try (var statement = locking.createStatement()) {
                statement.execute("LOCK TABLE check_in IN ACCESS EXCLUSIVE MODE");
            }
            var reads = List.of(clients.submit(() -> api.get(large)), clients.submit(() -> api.get(large)));
            long most = 0;
            while (!reads.stream().allMatch(Future::isDone)) {
                most = Math.max(most, blocked(locking));
            }
            assertThat(most).as("reads that wait for the lock at the same time").isLessThanOrEqualTo(1);
            for (var read : reads) {
                read.get().isProblem(503, "unavailable");
            }
        }
    }

    /** The lock on an objective above keeps the first change waiting, after many of its events. */
    @Test
    void an_organisation_makes_one_change_of_many_long_texts_at_a_time() throws Exception {
        var cycle = admin.post("/v1/cycles", Requests.uniqueCycle()).is(201).id();
        var first = objective(admin, cycle);
        var second = objective(admin, cycle);
        var firstKeyResult = keyResult(admin, first);
        var secondKeyResult = keyResult(admin, second);
        LongTexts.above(acme.id(), IdKind.OBJECTIVE.require(first), 2 * PARENTS);
        LongTexts.above(acme.id(), IdKind.OBJECTIVE.require(second), PARENTS);
        try (var replica = ServiceProcess.onTestDatabase(Map.of());
                var locking = TestDatabase.connect();
                var clients = Executors.newVirtualThreadPerTaskExecutor()) {
            var api = admin.at(replica.uri());
            api.post(Paths.checkIns(secondKeyResult), Requests.checkIn(1)).is(201);
            lock(locking, LAST_PARENT, IdKind.OBJECTIVE.require(first));
            var waiting = startUntilBlocked(
                    clients, locking, () -> api.post(Paths.checkIns(firstKeyResult), Requests.checkIn(1)));
            var next = clients.submit(() -> {
                api.post(Paths.checkIns(secondKeyResult), Requests.checkIn(2)).is(201);
                return waiting.isDone() || !blocks(locking);
            });
            assertThat(next.get()).as("the second check-in waits for the first").isTrue();
            waiting.get().isProblem(503, "unavailable");
        }
    }

    /** The lock on an objective above keeps the batch waiting, after many of its events. */
    @Test
    void a_batch_that_changes_many_long_texts_does_not_delay_other_large_requests() throws Exception {
        var other = organization();
        var free = checkIns(other);
        var cycle = admin.post("/v1/cycles", Requests.uniqueCycle()).is(201).id();
        var objective = objective(admin, cycle);
        var locked = checkIns(keyResult(admin, objective));
        LongTexts.above(acme.id(), IdKind.OBJECTIVE.require(objective), 2 * PARENTS);
        try (var replica = ServiceProcess.onTestDatabase(Map.of("JAVA_TOOL_OPTIONS", "-Xmx256m"));
                var locking = TestDatabase.connect();
                var clients = Executors.newVirtualThreadPerTaskExecutor()) {
            var service = other.admin().at(replica.uri());
            service.post(BATCH, free).is(201);
            lock(locking, LAST_PARENT, IdKind.OBJECTIVE.require(objective));
            boolean isBeside = false;
            // On a slow machine, the first batch can end before the other. Then the next attempt follows.
            for (int attempt = 0; attempt < ATTEMPTS && !isBeside; attempt++) {
                var waiting = startUntilBlocked(
                        clients, locking, () -> admin.at(replica.uri()).post(BATCH, locked));
                service.post(BATCH, free).is(201);
                isBeside = !waiting.isDone();
                waiting.get().isProblem(503, "unavailable");
            }
            assertThat(isBeside).as("a batch ends while the other waits").isTrue();
        }
    }

    @Test
    void a_large_tool_call_waits_for_the_large_change_of_its_organisation() throws Exception {
        var locked = checkIns(acme);
        try (var replica = ServiceProcess.onTestDatabase(Map.of());
                var importing = TestDatabase.connect();
                var clients = Executors.newVirtualThreadPerTaskExecutor()) {
            var api = admin.at(replica.uri());
            var assistant = new Assistant(api);
            assistant.call("who_am_i").succeeds();
            lock(importing, "objective WHERE organization_id = ?", acme.id());
            var waiting = startUntilBlocked(clients, importing, () -> api.post(BATCH, locked));
            assistant
                    .tryCall("create_objective", Map.of("title", "x".repeat(LARGE)))
                    .is(200);
            assertThat(waiting.isDone() || !blocks(importing))
                    .as("the call waits for the batch")
                    .isTrue();
            waiting.get().isProblem(503, "unavailable");
        }
    }

    /** The response comes before the body. */
    @ParameterizedTest
    @CsvSource({
        "/v1/imports?unknown=1, application/x-ndjson, 400",
        "/v1/objectives, application/x-ndjson, 415",
        "/v1/objectives, application/json, 413"
    })
    void a_rejected_upload_does_not_fill_the_memory(String path, String type, String status) throws Exception {
        var memory = Map.of("JAVA_TOOL_OPTIONS", "-Xmx96m -XX:MaxDirectMemorySize=64m -XX:+ExitOnOutOfMemoryError");
        try (var replica = ServiceProcess.onTestDatabase(memory);
                var socket = new Socket("127.0.0.1", replica.uri().getPort())) {
            var head = "POST %s HTTP/1.1\r\nHost: okr\r\nAuthorization: Bearer %s\r\nContent-Type: %s\r\n"
                    + "Content-Length: %d\r\n\r\n";
            var out = socket.getOutputStream();
            var key = acme.key(acme.adminUser().uuid());
            // The beginning of the body arrives with the head.
            var start = head.formatted(path, key, type, UPLOAD_BYTES) + "x".repeat(PART_BYTES);
            out.write(start.getBytes(StandardCharsets.US_ASCII));
            var part = new byte[PART_BYTES];
            for (long sent = part.length; sent < UPLOAD_BYTES; sent += part.length) {
                out.write(part);
            }
            var line = new String(socket.getInputStream().readNBytes(12), StandardCharsets.US_ASCII);
            assertThat(line).isEqualTo("HTTP/1.1 " + status);
            admin.at(replica.uri()).get("/v1/users/me").is(200);
        }
    }

    private static Void repeat(Callable<Answer> request, AtomicBoolean isOver) throws Exception {
        while (!isOver.get()) {
            request.call().isProblem(503, "unavailable");
        }
        return null;
    }

    /**
     * Starts a request and returns when it waits for a lock of the connection. A large request waits 0.4 s for a lock. On
     * a busy machine, it can end before this test notices. Then the test starts it again.
     */
    private static Future<Answer> startUntilBlocked(
            ExecutorService clients, Connection locking, Callable<Answer> request) throws Exception {
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            var waiting = clients.submit(request);
            await(() -> waiting.isDone() || blocks(locking), () -> "the request neither waits nor ends");
            if (!waiting.isDone()) {
                return waiting;
            }
            waiting.get().isProblem(503, "unavailable");
        }
        throw new AssertionError("The request does not wait for the lock.");
    }

    private static void lock(Connection connection, String rows, UUID id) throws SQLException {
        connection.setAutoCommit(false);
        try (var statement = connection.prepareStatement("SELECT 1 FROM " + rows + " FOR NO KEY UPDATE")) {
            statement.setObject(1, id);
            statement.execute();
        }
    }

    /** Whether a transaction waits for a lock of this connection. */
    private static boolean blocks(Connection connection) {
        return blocked(connection) > 0;
    }

    /** The number of transactions that wait for a lock of this connection. */
    private static long blocked(Connection connection) {
        try (var statement = connection.prepareStatement(BLOCKED);
                var rows = statement.executeQuery()) {
            rows.next();
            return rows.getLong(1);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Map<String, Object> checkIns(TestOrganization organization) {
        var api = organization.admin();
        var cycle = api.post("/v1/cycles", Requests.uniqueCycle()).is(201).id();
        return checkIns(keyResult(api, objective(api, cycle)));
    }

    private static String objective(Api api, String cycle) {
        return api.post("/v1/objectives", Requests.objective(cycle)).is(201).id();
    }

    private static String keyResult(Api api, String objective) {
        return api.post(Paths.keyResults(objective), Requests.keyResult(0, 10))
                .is(201)
                .id();
    }

    private static Map<String, Object> checkIns(String keyResult) {
        return Json.object(
                "check_ins", Collections.nCopies(CHECK_INS, Json.object("key_result_id", keyResult, "value", 1)));
    }
}
