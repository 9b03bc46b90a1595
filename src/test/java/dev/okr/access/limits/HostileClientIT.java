package dev.okr.access.limits;

import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.testing.Api;
import dev.okr.testing.HttpTest;
import dev.okr.testing.Requests;
import dev.okr.testing.ServiceProcess;
import io.quarkus.test.junit.QuarkusIntegrationTest;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Clients that take more than their share of a replica, from their own address. */
@QuarkusIntegrationTest
@Tag("waits")
class HostileClientIT extends HttpTest {
    private static final Duration STALL = Duration.ofSeconds(1);
    private static final Duration FREED_WITHIN = Duration.ofSeconds(9);
    private static final int CONCURRENT = 8;
    private static final int PER_ADDRESS = 4;
    private static final int PER_KEY = 2;
    private static final int CONNECTIONS = 20;
    private static final int ALL_CONNECTIONS = 200;
    private static final String HOSTILE = "127.0.0.66";
    private static final String ALSO_HOSTILE = "127.0.0.67";
    private static final String FRIENDLY = "127.0.0.1";
    private static final int SMALL_BUFFER_BYTES = 4_096;

    /** The document has 200 KB. So the buffers of the system have room for some of the responses only. */
    private static final String DOCUMENT = "GET /q/openapi HTTP/1.1\r\nHost: okr\r\n\r\n";

    private static final int PIPELINED = 500;

    /** More checks than can run at the same time. */
    private static final int PROBES = 80;

    private static ServiceProcess replica;

    private final List<Socket> sockets = new ArrayList<>();

    @BeforeEach
    void start() {
        if (replica == null) {
            replica = ServiceProcess.onTestDatabase(Map.of(
                    "OKR_LIMITS_RESPONSE_STALL", STALL.toString(),
                    "OKR_LIMITS_CONCURRENT_REQUESTS", String.valueOf(CONCURRENT),
                    "OKR_LIMITS_CONCURRENT_REQUESTS_PER_ADDRESS", String.valueOf(PER_ADDRESS),
                    "OKR_LIMITS_CONCURRENT_REQUESTS_PER_KEY", String.valueOf(PER_KEY),
                    "OKR_LIMITS_CONCURRENT_REQUESTS_PER_ORGANIZATION", String.valueOf(PER_KEY + 1),
                    "OKR_LIMITS_CONNECTIONS_PER_ADDRESS", String.valueOf(CONNECTIONS),
                    "QUARKUS_HTTP_LIMITS_MAX_CONNECTIONS", String.valueOf(ALL_CONNECTIONS)));
        }
        admin = admin.at(replica.uri());
    }

    @AfterEach
    void disconnect() throws IOException {
        for (var socket : sockets) {
            socket.close();
        }
    }

    @AfterAll
    static void stop() {
        replica.close();
    }

    @Test
    void a_client_that_reads_no_responses_gets_few_and_loses_its_connection() throws Exception {
        var socket = connect(HOSTILE);
        write(socket, DOCUMENT.repeat(PIPELINED));
        Thread.sleep(STALL.multipliedBy(3));
        assertThat(documents(socket)).isLessThan(PIPELINED / 2);
    }

    @Test
    void pipelined_requests_are_all_answered_in_order_if_the_client_reads() throws Exception {
        var socket = connect(HOSTILE);
        var requests = IntStream.range(0, 200)
                .mapToObj(number -> "GET /v1/users/me HTTP/1.1\r\nHost: okr\r\nX-Request-Id: n%d\r\n%s\r\n\r\n"
                        .formatted(number, number == 199 ? "Connection: close" : "Accept: */*"))
                .toList();
        write(socket, String.join("", requests));
        var answers = new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
        var order = answers.lines()
                .filter(line -> line.toLowerCase().startsWith("x-request-id: "))
                .map(line -> line.substring(14))
                .toList();
        assertThat(order)
                .isEqualTo(IntStream.range(0, 200).mapToObj(n -> "n" + n).toList());
    }

    @Test
    void a_body_that_has_not_arrived_takes_no_place() throws Exception {
        var key = acme.key(acme.viewerUser().uuid());
        for (int i = 0; i < 2 * CONCURRENT; i++) {
            write(
                    connect(HOSTILE),
                    "POST /v1/cycles HTTP/1.1\r\nHost: okr\r\nAuthorization: Bearer " + key
                            + "\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{");
        }
        Thread.sleep(STALL);
        admin.get("/v1/cycles").is(200);
    }

    @Test
    void an_address_has_a_share_of_the_places() throws Exception {
        // Each connection keeps its place while the client does not read.
        for (int i = 0; i < CONCURRENT; i++) {
            write(connect(HOSTILE), DOCUMENT.repeat(PIPELINED));
        }
        for (int i = 0; i < 10; i++) {
            admin.get("/v1/cycles").is(200);
            assertThat(replica.status("/q/health/live")).isEqualTo(200);
            Thread.sleep(50);
        }
    }

    @Test
    void clients_without_a_key_take_no_places_of_the_api() throws Exception {
        for (int i = 0; i < CONCURRENT; i++) {
            write(connect(HOSTILE), DOCUMENT.repeat(PIPELINED));
            write(connect(ALSO_HOSTILE), DOCUMENT.repeat(PIPELINED));
        }
        Thread.sleep(STALL.dividedBy(4));
        organization().viewer().at(replica.uri()).get("/v1/cycles").is(200);
    }

    @Test
    void an_address_has_a_share_of_the_probes() throws Exception {
        for (int i = 0; i < CONNECTIONS; i++) {
            write(connect(HOSTILE), "GET /q/metrics HTTP/1.1\r\nHost: okr\r\n\r\n".repeat(PIPELINED));
        }
        Thread.sleep(STALL.dividedBy(4));
        assertThat(replica.status("/q/metrics")).isEqualTo(200);
        assertThat(replica.status("/q/health/ready")).isEqualTo(200);
    }

    @Test
    void forms_that_arrive_slowly_take_no_places_of_the_console() throws Exception {
        int before = replica.status("/settings");
        for (int address = 0; address < 5; address++) {
            for (int i = 0; i < CONNECTIONS; i++) {
                write(
                        connect("127.0.2." + (1 + address)),
                        "POST /settings/sign-out HTTP/1.1\r\nHost: okr\r\nContent-Length: 1000\r\n"
                                + "Content-Type: application/x-www-form-urlencoded\r\n\r\nform");
            }
        }
        Thread.sleep(STALL);
        assertThat(before).isNotEqualTo(503);
        assertThat(replica.status("/settings")).isEqualTo(before);
    }

    private static void createLargeObjectives(Api api, int number) {
        var cycle = api.post("/v1/cycles", Requests.uniqueCycle()).is(201).id();
        for (int i = 0; i < number; i++) {
            var objective = Requests.objective(cycle);
            objective.put("description", "\uD83D\uDE00".repeat(4_096));
            api.post("/v1/objectives", objective).is(201);
        }
    }

    @Test
    void clients_that_disconnect_from_probes_take_no_turns() throws Exception {
        for (int i = 0; i < PROBES; i++) {
            for (var path : List.of("ready", "live")) {
                var gone = connect("127.0.0." + (100 + i / 4));
                write(gone, "GET /q/health/" + path + " HTTP/1.1\r\nHost: okr\r\n\r\n");
                gone.setSoLinger(true, 0);
                gone.close();
            }
        }
        var start = Instant.now();
        for (var path : List.of("/q/health/ready", "/q/health/live")) {
            await(() -> replica.status(path) == 200, () -> path + " to answer");
        }
        // The timeout of a slow client would free the places, too.
        assertThat(Duration.between(start, Instant.now())).isLessThan(FREED_WITHIN);
    }

    @Test
    void many_addresses_cannot_use_all_connections() throws Exception {
        for (int i = 0; i < 2 * ALL_CONNECTIONS; i++) {
            connect("127.0.1." + (1 + i % (3 * ALL_CONNECTIONS / CONNECTIONS)));
        }
        // The connections above the limit have ended. The others would last ten seconds.
        Thread.sleep(STALL);
        assertThat(isAlive(connect(FRIENDLY))).isTrue();
    }

    /** Each hostile client has its own address, sends one cheap request, and then keeps its connection. */
    @Test
    void many_idle_clients_do_not_end_the_connection_of_a_client_that_sends_requests() throws Exception {
        int before = ServiceProcess.log().length();
        var friendly = connect(FRIENDLY);
        for (int i = 0; i < 2 * ALL_CONNECTIONS; i++) {
            assertThat(isAlive(connect("127.0.%d.%d".formatted(4 + i / ALL_CONNECTIONS, 1 + i % ALL_CONNECTIONS))))
                    .isTrue();
            assertThat(isAlive(friendly)).isTrue();
        }
        // The first hostile connection.
        assertThat(isClosed(sockets.get(1))).isTrue();
        assertThat(ServiceProcess.log().substring(before)).doesNotContain("\"ERROR\"", "Exception");
    }

    @Test
    void a_key_and_an_organisation_have_a_share_of_the_places() throws Exception {
        createLargeObjectives(admin, 20);
        var key = acme.key(acme.viewerUser().uuid());
        var large = "GET /v1/objectives HTTP/1.1\r\nHost: okr\r\nAuthorization: Bearer %s\r\n\r\n".repeat(50);
        for (int i = 0; i < PER_KEY; i++) {
            write(connect(HOSTILE), large.replace("%s", key));
        }
        Thread.sleep(STALL.dividedBy(2));
        var same = Api.of(replica.uri()).with(key).get("/v1/cycles").isProblem(429, "rate_limited");
        assertThat(same.detail()).contains("key");
        assertThat(same.header("Retry-After")).hasValue("1");
        viewer.at(replica.uri()).get("/v1/cycles").is(200);
        write(connect(HOSTILE), large.replace("%s", acme.key(acme.memberUser().uuid())));
        Thread.sleep(STALL.dividedBy(4));
        assertThat(viewer.at(replica.uri())
                        .get("/v1/cycles")
                        .isProblem(429, "rate_limited")
                        .detail())
                .contains("organisation");
        organization().viewer().at(replica.uri()).get("/v1/cycles").is(200);
    }

    @Test
    void broken_bodies_and_clients_that_are_gone_are_no_errors_of_the_service() throws Exception {
        createLargeObjectives(admin, 20);
        int before = ServiceProcess.log().length();
        var key = acme.key(acme.adminUser().uuid());
        var upload = "POST /v1/imports HTTP/1.1\r\nHost: okr\r\nAuthorization: Bearer " + key
                + "\r\nContent-Type: application/x-ndjson\r\n";
        var head = "POST /v1/cycles HTTP/1.1\r\nHost: okr\r\nAuthorization: Bearer " + key
                + "\r\nContent-Type: application/json\r\n";
        for (var each : List.of(upload, head)) {
            var broken = connect(HOSTILE);
            write(broken, each + "Transfer-Encoding: chunked\r\n\r\n5\r\n{\"nam\r\n");
            Thread.sleep(STALL.dividedBy(4));
            write(broken, "zz\r\n");
            assertThat(isClosed(broken)).isTrue();
        }
        for (var body : List.of("Content-Length: 100\r\n\r\n{", "Transfer-Encoding: chunked\r\n\r\n5\r\n{", "")) {
            var gone = connect(HOSTILE);
            write(gone, head + body);
            Thread.sleep(STALL.dividedBy(4));
            gone.setSoLinger(true, 0);
            gone.close();
        }
        // The response to the first request is not read, and the second request is not complete.
        var gone = connect(HOSTILE);
        write(
                gone,
                "GET /v1/objectives HTTP/1.1\r\nHost: okr\r\nAuthorization: Bearer "
                        + acme.key(acme.viewerUser().uuid()) + "\r\n\r\nGET /v1/cycles HTTP/1.1\r\nHost: okr\r\n");
        Thread.sleep(STALL.dividedBy(2));
        gone.setSoLinger(true, 0);
        gone.close();
        Thread.sleep(STALL.dividedBy(2));
        admin.get("/v1/cycles").is(200);
        assertThat(ServiceProcess.log().substring(before)).doesNotContain("\"ERROR\"", "Exception");
    }

    @Test
    void an_address_has_a_share_of_the_connections() throws Exception {
        for (int i = 0; i < CONNECTIONS; i++) {
            connect(HOSTILE);
        }
        assertThat(isClosed(connect(HOSTILE))).isTrue();
        assertThat(isClosed(sockets.getFirst())).isFalse();
        assertThat(isClosed(connect(FRIENDLY))).isFalse();
        for (var socket : sockets) {
            socket.close();
        }
        Thread.sleep(STALL);
        assertThat(isClosed(connect(HOSTILE))).isFalse();
    }

    private Socket connect(String address) throws IOException {
        var socket = new Socket();
        sockets.add(socket);
        socket.setReceiveBufferSize(SMALL_BUFFER_BYTES);
        socket.bind(new InetSocketAddress(address, 0));
        socket.connect(
                new InetSocketAddress(replica.uri().getHost(), replica.uri().getPort()));
        socket.setSoTimeout(10_000);
        return socket;
    }

    private static void write(Socket socket, String requests) throws IOException {
        socket.getOutputStream().write(requests.getBytes(StandardCharsets.US_ASCII));
    }

    /** Whether a liveness check over this connection succeeds. The response is small, so it arrives in one piece. */
    private static boolean isAlive(Socket socket) throws IOException {
        write(socket, "GET /q/health/live HTTP/1.1\r\nHost: okr\r\n\r\n");
        var in = socket.getInputStream();
        var status = new String(in.readNBytes(12), StandardCharsets.US_ASCII);
        in.skipNBytes(in.available());
        return status.equals("HTTP/1.1 200");
    }

    /** The number of documents that arrive before the end of the connection. */
    private static long documents(Socket socket) throws IOException {
        long bytes = 0;
        var buffer = new byte[65_536];
        try {
            for (int n = socket.getInputStream().read(buffer);
                    n >= 0;
                    n = socket.getInputStream().read(buffer)) {
                bytes += n;
            }
        } catch (SocketException reset) {
            // The service reset the connection.
        }
        return bytes / 150_000;
    }

    private static boolean isClosed(Socket socket) throws IOException {
        socket.setSoTimeout(1_000);
        try {
            return socket.getInputStream().read() < 0;
        } catch (SocketTimeoutException open) {
            return false;
        } catch (SocketException reset) {
            return true;
        }
    }
}
