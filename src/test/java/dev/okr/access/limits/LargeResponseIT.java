package dev.okr.access.limits;

import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.platform.ids.IdKind;
import dev.okr.testing.Api;
import dev.okr.testing.AtOnce;
import dev.okr.testing.Browser;
import dev.okr.testing.HttpTest;
import dev.okr.testing.Json;
import dev.okr.testing.ManyObjectives;
import dev.okr.testing.Metrics;
import dev.okr.testing.Paths;
import dev.okr.testing.Requests;
import dev.okr.testing.ServiceProcess;
import dev.okr.testing.TestDatabase;
import dev.okr.testing.TestOrganization;
import io.quarkus.test.junit.DisabledOnIntegrationTest;
import io.quarkus.test.junit.QuarkusIntegrationTest;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Clients that read large responses slowly or not at all. */
@QuarkusIntegrationTest
@DisabledOnIntegrationTest(forArtifactTypes = DisabledOnIntegrationTest.ArtifactType.NATIVE_BINARY)
@Tag("waits")
class LargeResponseIT extends HttpTest {
    private static final int CLIENTS = 60;
    private static final int OBJECTIVES = 30;

    /** With long texts, their JSON is 3.3 MB. An organisation has 2 MiB even if others use up the limit. */
    private static final int LONG_OBJECTIVES = 100;

    /** With {@link #CHINESE}, their JSON has just below 65,536 characters. */
    private static final int OBJECTIVES_OF_RESULT = 14;

    /** 60 unread results of 370 KB would need 22 MB. */
    private static final double MAX_DIRECT_BYTES = 12_000_000;

    private static final Pattern HEADER_NAME = Pattern.compile("(?m)^[^: ]+:");
    private static final String EMOJI = "\uD83D\uDE00";
    private static final String CHINESE = "\u4E2D";
    private static final int SMALL_BUFFER_BYTES = 4_096;
    private static final int SMALL_RESPONSE_BYTES = 65_536;
    private static final int TOOL_USERS = 4;
    private static final int TOOL_CALLS = 12;
    private static final int CHECK_INS = 100;
    private static final int MANY_CLIENTS = 400;
    private static final String HOSTILE = "127.0.0.66";
    private static final int CHUNKS = 50_000;
    private static final int HEADERS = 3_900;
    private static final int BATCH = 1_000;
    private static final int WAITING_ORGANIZATIONS = 4;
    private static final int BATCHES = 30;
    private static final int LARGE_BODY_BYTES = 524_288;
    private static final int SMALL_BODY_BYTES = 8;
    private static final int REFUSALS = 5;
    private static final int CHANGES = 5;

    private static final int PARENTS = 100;
    private static final int GRANDPARENTS = 1_400;

    private static final int PROBING_CLIENTS = 72;
    private static final int UNREAD = 10;
    private static final int PROBES = 5;

    /** An export with this many long objectives is 130 MB. */
    private static final int EXPORTED_OBJECTIVES = 4_000;

    private static final int SLOW_BUFFER_BYTES = 65_536;

    /** Four times each second. The service could write much faster. */
    private static final int SLOW_READ_BYTES = 524_288;

    private static final int SLOW_READ_MILLIS = 250;

    /** The time after which a client counts as slow. */
    private static final Duration SLOW = Duration.ofSeconds(1);

    /** The most pages that may end for a response of 3.3 MB. Each has 410 KB, so about eight are enough. */
    private static final double MAX_ENDED = 12;

    /** The deadline of a request. It passes before the request gets a permit for an export. */
    private static final Duration DEADLINE = Duration.ofSeconds(10);

    private static final Duration SOON = Duration.ofSeconds(5);

    /** Before responses had a limit, other requests waited for the idle timeout of the connections, 72 s. */
    private static final Duration BOUNDED = Duration.ofSeconds(10);

    @Test
    void unread_pages_of_one_organisation_do_not_slow_others_down() throws Exception {
        var other = organization().viewer();
        makeLargeObjectives(admin, OBJECTIVES, EMOJI);
        var memory = Map.of("JAVA_TOOL_OPTIONS", "-Xmx128m -XX:MaxDirectMemorySize=16m");
        List<Socket> sockets = new ArrayList<>();
        try (var replica = ServiceProcess.onTestDatabase(memory)) {
            other = other.at(replica.uri());
            other.get("/v1/cycles").is(200);
            for (int i = 0; i < CLIENTS; i++) {
                sockets.add(request(
                        replica.uri(),
                        "/v1/objectives?per_page=100",
                        acme.key(acme.viewerUser().uuid())));
            }
            for (int i = 0; i < 20; i++) {
                var start = Instant.now();
                other.get("/v1/cycles").is(200);
                assertThat(replica.status("/q/health/live")).isEqualTo(200);
                assertThat(Duration.between(start, Instant.now())).isLessThan(BOUNDED);
                Thread.sleep(50);
            }
        } finally {
            for (var socket : sockets) {
                socket.close();
            }
        }
    }

    @Test
    void a_large_page_gets_the_memory_of_unread_pages_of_other_organisations() throws Exception {
        var greedy = List.of(acme, organization());
        var other = organization();
        greedy.forEach(each -> makeLargeObjectives(each.admin(), OBJECTIVES, EMOJI));
        makeLongObjectives(other, LONG_OBJECTIVES);
        List<Socket> sockets = new ArrayList<>();
        try (var replica = ServiceProcess.onTestDatabase(Map.of("JAVA_TOOL_OPTIONS", "-Xmx128m"))) {
            for (var organization : greedy) {
                for (int i = 0; i < CLIENTS / 2; i++) {
                    var key = organization.key(organization.viewerUser().uuid());
                    var path = "/v1/objectives?per_page=" + (i < CLIENTS / 3 ? 25 : 15);
                    var socket = request(replica.uri(), path, key);
                    sockets.add(socket);
                    assertThat(contentLength(socket)).isPositive();
                }
            }
            Thread.sleep(SLOW);
            var page = other.viewer().at(replica.uri()).get("/v1/objectives?per_page=100");
            assertThat(page.is(200).ids()).hasSize(LONG_OBJECTIVES);
            assertThat(ended(replica)).isBetween(1.0, MAX_ENDED);
        } finally {
            for (var socket : sockets) {
                socket.close();
            }
        }
    }

    private static double ended(ServiceProcess replica) {
        return Metrics.of(replica.uri())
                .samples("okr_responses_ended_total")
                .getFirst()
                .value();
    }

    /** Each result is a message of 370 KB, which cannot be sent in parts. */
    @Test
    void unread_results_of_tools_need_little_direct_memory() throws Exception {
        makeLargeObjectives(admin, OBJECTIVES_OF_RESULT, CHINESE);
        var call = toolCall("find_objectives", Json.object("per_page", OBJECTIVES_OF_RESULT));
        List<Socket> sockets = new ArrayList<>();
        try (var replica = ServiceProcess.onTestDatabase(Map.of("JAVA_TOOL_OPTIONS", "-Xmx128m"))) {
            for (int i = 0; i < CLIENTS; i++) {
                sockets.add(
                        post(replica.uri(), "/mcp", acme.key(acme.viewerUser().uuid()), call));
            }
            int large = 0;
            for (var socket : sockets) {
                large += contentLength(socket) > SMALL_RESPONSE_BYTES ? 1 : 0;
            }
            assertThat(large).isPositive();
            assertThat(Metrics.of(replica.uri()).samples("jvm_buffer_memory_used_bytes"))
                    .filteredOn(sample -> sample.has("id", "direct"))
                    .singleElement()
                    .satisfies(sample -> assertThat(sample.value()).isLessThan(MAX_DIRECT_BYTES));
        } finally {
            for (var socket : sockets) {
                socket.close();
            }
        }
    }

    /** There are more connections than places. At most four are from one address, as many as may get metrics. */
    @Test
    void clients_that_read_nothing_do_not_hold_the_places_of_metrics_and_documents() throws Exception {
        var paths = List.of("/q/metrics", "/q/openapi");
        List<Socket> sockets = new ArrayList<>();
        try (var replica = ServiceProcess.onTestDatabase(Map.of("OKR_LIMITS_RESPONSE_STALL", "60s"))) {
            for (int i = 0; i < PROBING_CLIENTS; i++) {
                for (var path : paths) {
                    sockets.add(readNothing(replica.uri(), i, path));
                }
            }
            Thread.sleep(BOUNDED.dividedBy(4));
            for (int i = 0; i < PROBES; i++) {
                for (var path : paths) {
                    // On a busy machine, the responses of the other clients can still be about to start.
                    await(() -> replica.status(path) == 200, () -> path + " has no place");
                }
            }
        } finally {
            for (var socket : sockets) {
                socket.close();
            }
        }
    }

    private static Socket readNothing(URI service, int client, String path) throws IOException {
        var socket = new Socket();
        socket.setReceiveBufferSize(SMALL_BUFFER_BYTES);
        socket.bind(new InetSocketAddress("127.0.3." + (1 + client / 4), 0));
        socket.connect(new InetSocketAddress(service.getHost(), service.getPort()));
        socket.getOutputStream()
                .write("GET %s HTTP/1.1\r\nHost: okr\r\n\r\n"
                        .formatted(path)
                        .repeat(UNREAD)
                        .getBytes(StandardCharsets.US_ASCII));
        return socket;
    }

    @Test
    void bodies_in_chunks_of_one_byte_use_little_memory() throws Exception {
        requireService(
                CLIENTS,
                "POST /v1/cycles HTTP/1.1\r\nHost: okr\r\nAuthorization: Bearer "
                        + acme.key(acme.adminUser().uuid())
                        + "\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
                        + "1\r\nx\r\n".repeat(CHUNKS));
    }

    @Test
    void heads_that_never_end_use_little_memory() throws Exception {
        requireService(MANY_CLIENTS, "GET /v1/cycles HTTP/1.1\r\nHost: okr\r\n" + "a:b\r\n".repeat(HEADERS));
    }

    /** Other clients are answered while some have sent a part of a request. */
    private void requireService(int clients, String part) throws Exception {
        List<Socket> sockets = new ArrayList<>();
        try (var replica = ServiceProcess.onTestDatabase(Map.of("JAVA_TOOL_OPTIONS", "-Xmx128m"))) {
            for (int i = 0; i < clients; i++) {
                var socket = new Socket();
                sockets.add(socket);
                socket.bind(new InetSocketAddress(HOSTILE, 0));
                socket.connect(new InetSocketAddress(
                        replica.uri().getHost(), replica.uri().getPort()));
                try {
                    socket.getOutputStream().write(part.getBytes(StandardCharsets.US_ASCII));
                } catch (SocketException closed) {
                    // The service has closed the connection.
                }
            }
            viewer.at(replica.uri()).get("/v1/cycles").is(200);
        } finally {
            for (var socket : sockets) {
                socket.close();
            }
        }
    }

    /** A join would repeat the texts of an objective for each of its key results. */
    @Test
    void large_pages_with_key_results_do_not_fill_the_memory() throws Exception {
        makeLargeObjectives(admin, OBJECTIVES, EMOJI);
        acme.addKeyResults(100);
        try (var replica = ServiceProcess.onTestDatabase(Map.of("JAVA_TOOL_OPTIONS", "-Xmx128m"))) {
            var reader = viewer.at(replica.uri());
            var answers = AtOnce.run(
                    AtOnce.times(AtOnce.CLIENTS, () -> reader.get("/v1/objectives?include=key_results&per_page=100")));
            assertThat(answers).allSatisfy(answer -> assertThat(answer.status()).isIn(200, 503));
            reader.get("/v1/cycles").is(200);
        }
    }

    /** Only objectives with contributing alignments stay in memory until the end. */
    @Test
    void the_history_of_a_large_cycle_needs_little_memory() throws Exception {
        var cycle = newCompletedCycle();
        makeSmallObjectives(acme, cycle, 200_000);
        try (var replica = ServiceProcess.onTestDatabase(Map.of("JAVA_TOOL_OPTIONS", "-Xmx64m"))) {
            var reader = viewer.at(replica.uri());
            // On a busy machine, the database can be too slow for the first request.
            await(() -> reader.get("/v1/cycles/" + cycle + "/progress-history").status() == 200, () -> "no history");
        }
    }

    /** Makes objectives with the shortest texts. */
    private static void makeSmallObjectives(TestOrganization organization, String cycle, int number)
            throws SQLException {
        try (var connection = TestDatabase.connect();
                var statement = connection.createStatement()) {
            statement.execute("""
                    SET okr.cycle_totals = 'program'; SET okr.words = 'program';
                    INSERT INTO objective (organization_id, id, title, owner_id, cycle_id, progress, status, rolls_up,
                        created_at, updated_at)
                    SELECT '%s', gen_random_uuid(), 'O', '%s', '%s', 0.5, 'on_track', false, now(), now()
                    FROM generate_series(1, %d);
                    ANALYZE objective""".formatted(
                            organization.id(), organization.adminUser().uuid(), IdKind.CYCLE.require(cycle), number));
        }
    }

    /** The events of a batch contain the texts of all its objectives. */
    @Test
    void large_batches_of_two_organisations_do_not_fill_the_memory() throws Exception {
        var other = organization();
        var first = checkIns(makeLongObjectives(acme, BATCH));
        var second = checkIns(makeLongObjectives(other, BATCH));
        var memory = Map.of("JAVA_TOOL_OPTIONS", "-Xmx160m -XX:+ExitOnOutOfMemoryError");
        try (var replica = ServiceProcess.onTestDatabase(memory)) {
            var answers = AtOnce.run(List.of(
                    () -> admin.at(replica.uri()).post("/v1/check-ins/batch", first),
                    () -> other.admin().at(replica.uri()).post("/v1/check-ins/batch", second)));
            // On a slow machine, a batch can take longer than a request may last.
            assertThat(answers).allSatisfy(answer -> assertThat(answer.status()).isIn(201, 503));
            viewer.at(replica.uri()).get("/v1/users/me").is(200);
        }
        // The events are in the order of the changes, although they are written in parts.
        assertThat(TestDatabase.count("""
                SELECT count(*) FROM event e JOIN event later USING (organization_id)
                WHERE organization_id IN (?, ?) AND e.type = 'check_in.created'
                    AND later.type = 'key_result.updated' AND later.id < e.id""", acme.id(), other.id())).isZero();
    }

    @Test
    void unread_responses_to_batches_do_not_fill_the_memory() throws Exception {
        var keyResult = IdKind.KEY_RESULT.format(makeLongObjectives(acme, 1).getFirst());
        var checkIns = Collections.nCopies(BATCH, Json.object("key_result_id", keyResult, "value", 1));
        var batch = Json.write(Json.object("check_ins", checkIns));
        var key = acme.key(acme.adminUser().uuid());
        var memory = Map.of("JAVA_TOOL_OPTIONS", "-Xmx64m -XX:+ExitOnOutOfMemoryError");
        List<Socket> sockets = new ArrayList<>();
        try (var replica = ServiceProcess.onTestDatabase(memory)) {
            var head = "HTTP/1.1 201";
            while (head.startsWith("HTTP/1.1 201") && sockets.size() < CLIENTS) {
                var socket = post(replica.uri(), "/v1/check-ins/batch", key, batch);
                sockets.add(socket);
                head = head(socket);
            }
            assertThat(sockets).hasSizeGreaterThan(1);
            assertThat(head).startsWith("HTTP/1.1 503").contains("retry-after: ");
            viewer.at(replica.uri()).get("/v1/users/me").is(200);
        } finally {
            for (var socket : sockets) {
                socket.close();
            }
        }
    }

    /** Parsed batches wait for the one that is running. */
    @Test
    void batches_that_wait_do_not_fill_the_memory() throws Exception {
        var items = Stream.generate(UUID::randomUUID)
                .limit(BATCH)
                .map(id -> Json.object(
                        "key_result_id",
                        IdKind.KEY_RESULT.format(id),
                        "value",
                        1,
                        "note",
                        "N",
                        "confidence",
                        5,
                        "external_id",
                        id.toString(),
                        "recorded_at",
                        "2026-01-01T00:00:00Z"))
                .toList();
        var batch = Json.write(Json.object("check_ins", items));
        List<Socket> sockets = new ArrayList<>();
        try (var replica =
                ServiceProcess.onTestDatabase(Map.of("JAVA_TOOL_OPTIONS", "-Xmx64m -XX:+ExitOnOutOfMemoryError"))) {
            for (int i = 0; i < WAITING_ORGANIZATIONS; i++) {
                var other = organization();
                var key = other.key(other.adminUser().uuid());
                for (int j = 0; j < BATCHES; j++) {
                    sockets.add(post(replica.uri(), "/v1/check-ins/batch", key, batch));
                }
            }
            for (var socket : sockets) {
                assertThat(status(socket)).isIn("HTTP/1.1 422", "HTTP/1.1 503");
            }
            viewer.at(replica.uri()).get("/v1/users/me").is(200);
        } finally {
            for (var socket : sockets) {
                socket.close();
            }
        }
    }

    /** With a limit for each key, the bodies of both keys would use up the memory of the organisation. */
    @Test
    void bodies_of_one_user_leave_memory_for_others_of_the_organisation() throws Exception {
        var user = acme.viewerUser().uuid();
        List<Socket> sockets = new ArrayList<>();
        var settings = Map.of("JAVA_TOOL_OPTIONS", "-Xmx256m", "OKR_LIMITS_CONNECTIONS_PER_ADDRESS", "0");
        try (var replica = ServiceProcess.onTestDatabase(settings)) {
            for (var key : List.of(acme.key(user), acme.key(user))) {
                await(() -> refusesBodies(replica.uri(), key, sockets), () -> "no body is refused");
            }
            for (int i = 0; i < CHANGES; i++) {
                admin.at(replica.uri())
                        .post("/v1/cycles", Requests.uniqueCycle())
                        .is(201);
            }
        } finally {
            for (var socket : sockets) {
                socket.close();
            }
        }
    }

    /**
     * Whether the service refuses even the smallest body. If not, sends incomplete bodies of decreasing size. A large
     * body that is refused uses memory for a moment, so one refusal is not enough.
     */
    private static boolean refusesBodies(URI service, String key, List<Socket> sockets) {
        try {
            for (int i = 0; i < REFUSALS; i++) {
                if (!refusesBody(service, key)) {
                    for (int bytes = LARGE_BODY_BYTES; bytes >= SMALL_BODY_BYTES; bytes /= 2) {
                        keepBody(service, key, bytes, sockets);
                    }
                    return false;
                }
                Thread.sleep(100);
            }
            return true;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The service can close the connection of a body that it refuses before it has read all of it. */
    private static void keepBody(URI service, String key, int bytes, List<Socket> sockets) {
        try {
            sockets.add(sendBody(service, key, bytes + 1, bytes));
        } catch (IOException refused) {
            // A refused body uses no memory.
        }
    }

    private static boolean refusesBody(URI service, String key) throws IOException {
        try (var complete = sendBody(service, key, SMALL_BODY_BYTES, SMALL_BODY_BYTES)) {
            return status(complete).equals("HTTP/1.1 503");
        }
    }

    private static Socket sendBody(URI service, String key, int length, int bytes) throws IOException {
        var head = "GET /v1/users/me HTTP/1.1\r\nHost: okr\r\nAuthorization: Bearer %s\r\nContent-Length: %d\r\n\r\n";
        return send(service, head.formatted(key, length) + "x".repeat(bytes));
    }

    private static String status(Socket socket) throws IOException {
        return new String(socket.getInputStream().readNBytes(12), StandardCharsets.US_ASCII);
    }

    @Test
    void a_check_in_below_many_objectives_does_not_fill_the_memory() {
        var ids = makeLongObjectives(acme, 1 + PARENTS + GRANDPARENTS);
        // The first objective contributes to the parents. Each of these contributes to some of the others.
        var parents = ids.subList(1, 1 + PARENTS);
        ManyObjectives.align(acme, parents, ids.subList(0, 1));
        for (int i = 0; i < PARENTS; i++) {
            int first = 1 + PARENTS + i * GRANDPARENTS / PARENTS;
            ManyObjectives.align(acme, ids.subList(first, first + GRANDPARENTS / PARENTS), parents.subList(i, i + 1));
        }
        var keyResult = IdKind.KEY_RESULT.format(ids.getFirst());
        var memory = Map.of("JAVA_TOOL_OPTIONS", "-Xmx96m -XX:+ExitOnOutOfMemoryError");
        try (var replica = ServiceProcess.onTestDatabase(memory)) {
            var service = admin.at(replica.uri());
            // On a slow machine, both can take longer than a request may last.
            assertThat(service.post(Paths.checkIns(keyResult), Json.object("value", 50_000))
                            .status())
                    .isIn(201, 503);
            // A batch locks all objectives between those that it changes.
            assertThat(service.post("/v1/check-ins/batch", checkIns(List.of(ids.getFirst(), ids.getLast())))
                            .status())
                    .isIn(201, 503);
            service.get("/v1/users/me").is(200);
        }
    }

    /** Makes objectives with the longest texts. Each has a key result with the same id. */
    private static List<UUID> makeLongObjectives(TestOrganization organization, int number) {
        var cycle = organization
                .admin()
                .post("/v1/cycles", Requests.cycle())
                .is(201)
                .id();
        var ids = Stream.generate(UUID::randomUUID).limit(number).toList();
        var array = ManyObjectives.array(ids);
        TestDatabase.execute(
                """
                INSERT INTO objective (organization_id, id, title, description, retrospective, owner_id, cycle_id,
                    progress, status, created_at, updated_at)
                SELECT ?, id, 'O', repeat(U&'\\+01F600', 4096), repeat(U&'\\+01F600', 4096), ?, ?, 0, 'on_track',
                    now(), now()
                FROM unnest(?::uuid[]) id""", organization.id(), organization.adminUser().uuid(), IdKind.CYCLE.require(cycle), array);
        TestDatabase.execute("""
                INSERT INTO key_result (organization_id, id, objective_id, title, metric_type, start_value,
                    current_value, target_value, progress, owner_id, created_at, updated_at)
                SELECT ?, id, id, 'K', 'number', 0, 0, 100000, 0, ?, now(), now()
                FROM unnest(?::uuid[]) id""", organization.id(), organization.adminUser().uuid(), array);
        return ids;
    }

    private static Map<String, Object> checkIns(List<UUID> keyResults) {
        return Json.object(
                "check_ins",
                keyResults.stream()
                        .map(id -> Json.object("key_result_id", IdKind.KEY_RESULT.format(id), "value", 70_000))
                        .toList());
    }

    /** The MCP extension cannot send a result in parts. So a tool may only report that its change is saved. */
    @Test
    void unread_results_of_writing_tools_do_not_fill_the_memory() throws Exception {
        var memory = Map.of("JAVA_TOOL_OPTIONS", "-Xmx128m -XX:MaxDirectMemorySize=16m -XX:+ExitOnOutOfMemoryError");
        List<Socket> sockets = new ArrayList<>();
        try (var replica = ServiceProcess.onTestDatabase(memory)) {
            warmUpTools(replica.uri());
            for (int i = 0; i < TOOL_USERS; i++) {
                var other = organization();
                var call = checkInsWithLongNotes(other.admin(), CHECK_INS);
                var key = other.key(other.adminUser().uuid());
                for (int j = 0; j < TOOL_CALLS; j++) {
                    sockets.add(post(replica.uri(), "/mcp", key, call));
                }
            }
            int large = 0;
            for (var socket : sockets) {
                large += contentLength(socket) > SMALL_RESPONSE_BYTES ? 1 : 0;
            }
            // An eighth of the heap is enough for one of these results, because it counts 16 times.
            assertThat(large).isBetween(1, TOOL_USERS);
            var reader = viewer.at(replica.uri());
            reader.get("/v1/cycles").is(200);
        } finally {
            for (var socket : sockets) {
                socket.close();
            }
        }
    }

    /** A tool call with check-ins. In the result, each quotation mark of a note needs four characters. */
    private static String checkInsWithLongNotes(Api api, int number) {
        var cycle = api.post("/v1/cycles", Requests.cycle()).is(201).id();
        var objective =
                api.post("/v1/objectives", Requests.objective(cycle)).is(201).id();
        var keyResult = api.post("/v1/objectives/" + objective + "/key-results", Requests.keyResult(0, 100))
                .is(201)
                .id();
        var checkIn = Json.object("key_result_id", keyResult, "value", 5, "note", "\"".repeat(4_096));
        return toolCall("check_in_batch", Json.object("check_ins", Collections.nCopies(number, checkIn)));
    }

    /** The first calls of a process are slow. Together, they could exceed their time limits. */
    private void warmUpTools(URI replica) {
        admin.at(replica).post("/mcp", checkInsWithLongNotes(admin, 1)).is(200);
    }

    private static String toolCall(String tool, Map<String, Object> arguments) {
        return Json.write(Json.object(
                "jsonrpc",
                "2.0",
                "id",
                1,
                "method",
                "tools/call",
                "params",
                Json.object("name", tool, "arguments", arguments)));
    }

    @Test
    void a_large_page_arrives_completely() {
        makeLargeObjectives(admin, OBJECTIVES, EMOJI);
        assertThat(viewer.get("/v1/objectives?per_page=100").is(200).ids()).hasSizeGreaterThanOrEqualTo(OBJECTIVES);
    }

    /** Their clients are steady. Otherwise, other limits could end the exports first. */
    @Test
    void slow_exports_end_for_exports_of_others_that_wait() throws Exception {
        var other = organization();
        var browser = Browser.signedIn(service, other.adminUser().email());
        List<Socket> sockets = new ArrayList<>();
        var readers = new ArrayList<Thread>();
        try {
            for (var organization : List.of(organization(), organization())) {
                makeLongObjectives(organization, EXPORTED_OBJECTIVES);
                var slow = new Socket();
                // With a large buffer, the kernel may announce free space so rarely that the service closes the
                // connection.
                slow.setReceiveBufferSize(SLOW_BUFFER_BYTES);
                slow.connect(new InetSocketAddress(service.getHost(), service.getPort()));
                var key = organization.key(organization.adminUser().uuid());
                slow.getOutputStream().write(get("/v1/export", key).getBytes(StandardCharsets.US_ASCII));
                sockets.add(slow);
                assertThat(status(slow)).isEqualTo("HTTP/1.1 200");
                readers.add(Thread.ofVirtual().start(() -> readSlowly(slow)));
            }
            var start = Instant.now();
            var page = CompletableFuture.supplyAsync(() -> browser.getOnly("/settings/data/export"));
            admin.get("/v1/export").is(200);
            page.join().is(200);
            assertThat(Duration.between(start, Instant.now())).isGreaterThan(DEADLINE);
            // The export that had begun first. Both others used its permit.
            assertThat(readers.getFirst().join(SOON)).isTrue();
            assertThat(readers.getLast().isAlive()).isTrue();
        } finally {
            for (var socket : sockets) {
                socket.close();
            }
        }
    }

    @Test
    void a_client_that_disconnects_while_it_waits_for_an_export_returns_its_place_soon() throws Exception {
        List<Socket> sockets = new ArrayList<>();
        try (var replica = ServiceProcess.onTestDatabase(Map.of())) {
            for (var each : List.of(organization(), organization())) {
                makeLongObjectives(each, BATCH);
                var export = request(
                        replica.uri(), "/v1/export", each.key(each.adminUser().uuid()));
                sockets.add(export);
                assertThat(status(export)).isEqualTo("HTTP/1.1 200");
            }
            try (var waiting = request(
                    replica.uri(), "/v1/export", acme.key(acme.adminUser().uuid()))) {
                await(() -> underWay(replica) == 3, () -> "no request waits");
            }
            var start = Instant.now();
            await(() -> underWay(replica) == 2, () -> "the request still waits");
            assertThat(Duration.between(start, Instant.now())).isLessThan(SOON);
        } finally {
            for (var socket : sockets) {
                socket.close();
            }
        }
    }

    private static double underWay(ServiceProcess replica) {
        return Metrics.of(replica.uri())
                .samples("okr_requests_under_way")
                .getFirst()
                .value();
    }

    /** An export keeps a page of rows in memory while its client does not read. */
    @Test
    void unread_exports_of_long_texts_need_little_memory() throws Exception {
        var organizations = List.of(acme, organization());
        organizations.forEach(each -> makeLongObjectives(each, BATCH));
        var memory = Map.of("JAVA_TOOL_OPTIONS", "-Xmx64m -XX:+ExitOnOutOfMemoryError");
        List<Socket> sockets = new ArrayList<>();
        try (var replica = ServiceProcess.onTestDatabase(memory)) {
            for (var each : organizations) {
                var key = each.key(each.adminUser().uuid());
                var export = request(replica.uri(), "/v1/export", key);
                sockets.add(export);
                assertThat(status(export)).isEqualTo("HTTP/1.1 200");
            }
            // The replica reads its next pages in this time.
            Thread.sleep(Duration.ofSeconds(2));
            viewer.at(replica.uri()).get("/v1/cycles").is(200);
        } finally {
            for (var socket : sockets) {
                socket.close();
            }
        }
    }

    /** Reads 2 MiB each second until the connection ends. */
    private static void readSlowly(Socket socket) {
        try {
            while (socket.getInputStream().readNBytes(SLOW_READ_BYTES).length > 0) {
                Thread.sleep(SLOW_READ_MILLIS);
            }
        } catch (IOException | InterruptedException ended) {
            // The test has ended, or the service has cut the download off.
        }
    }

    /** With {@link #EMOJI}, a page with 30 of these objectives is half a megabyte. */
    private static void makeLargeObjectives(Api api, int number, String character) {
        var cycle = api.post("/v1/cycles", Requests.cycle()).is(201).id();
        for (int i = 0; i < number; i++) {
            var objective = Requests.objective(cycle);
            objective.put("description", character.repeat(4_096));
            api.post("/v1/objectives", objective).is(201);
        }
    }

    private static int contentLength(Socket socket) throws IOException {
        var head = head(socket);
        var length = Pattern.compile("content-length: (\\d+)").matcher(head);
        assertThat(length.find()).as(head).isTrue();
        return Integer.parseInt(length.group(1));
    }

    /** Reads the head of a response, and leaves its body unread. The names of headers are in lower case. */
    private static String head(Socket socket) throws IOException {
        var head = new StringBuilder();
        while (head.indexOf("\r\n\r\n") < 0) {
            int next = socket.getInputStream().read();
            assertThat(next).as(head::toString).isNotNegative();
            head.append((char) next);
        }
        return HEADER_NAME.matcher(head).replaceAll(name -> name.group().toLowerCase(Locale.ROOT));
    }

    private static Socket request(URI service, String path, String key) throws IOException {
        return send(service, get(path, key));
    }

    private static String get(String path, String key) {
        return "GET %s HTTP/1.1\r\nHost: okr\r\nAuthorization: Bearer %s\r\n\r\n".formatted(path, key);
    }

    private static Socket post(URI service, String path, String key, String body) throws IOException {
        return send(
                service,
                "POST %s HTTP/1.1\r\nHost: okr\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\n"
                                .formatted(path, key)
                        + "Content-Length: " + body.length() + "\r\n\r\n" + body);
    }

    private static Socket send(URI service, String request) throws IOException {
        var socket = new Socket();
        socket.setReceiveBufferSize(SMALL_BUFFER_BYTES);
        socket.connect(new InetSocketAddress(service.getHost(), service.getPort()));
        socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
        return socket;
    }
}
