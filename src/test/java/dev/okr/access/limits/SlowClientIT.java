package dev.okr.access.limits;

import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.testing.Answer;
import dev.okr.testing.HttpTest;
import dev.okr.testing.ServiceProcess;
import io.quarkus.test.junit.QuarkusIntegrationTest;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Clients that send slowly, to a replica with short time limits. */
@QuarkusIntegrationTest
@Tag("waits")
class SlowClientIT extends HttpTest {
    private static final Duration HEAD = Duration.ofSeconds(1);
    private static final Duration BODY = Duration.ofSeconds(2);
    private static final Duration IDLE = Duration.ofSeconds(5);

    /** The tolerance for the time at which a connection ends, on a busy machine. */
    private static final Duration SLACK = Duration.ofSeconds(2);

    private static final Duration BETWEEN_BYTES = Duration.ofMillis(100);

    private static ServiceProcess replica;

    @BeforeEach
    void start() {
        if (replica == null) {
            replica = ServiceProcess.onTestDatabase(Map.of(
                    "OKR_LIMITS_REQUEST_HEAD",
                    HEAD.toString(),
                    "OKR_LIMITS_REQUEST_DEADLINE",
                    BODY.toString(),
                    "QUARKUS_HTTP_IDLE_TIMEOUT",
                    IDLE.toString()));
        }
    }

    @AfterAll
    static void stop() {
        replica.close();
    }

    @Test
    void a_head_that_arrives_too_slowly_closes_the_connection() throws Exception {
        try (var client = new Client()) {
            var took = client.drip("GET /v1/users/me HTTP/1.1\r\nHost: okr\r\nX-Padding: " + "x".repeat(200));
            assertThat(took).isBetween(HEAD, HEAD.plus(SLACK));
        }
    }

    @Test
    void a_slow_head_after_another_request_closes_the_connection() throws Exception {
        try (var client = new Client()) {
            client.send("GET /q/health/live HTTP/1.1\r\nHost: okr\r\n\r\n");
            assertThat(client.read()).startsWith("HTTP/1.1 200 ");
            var took = client.drip("GET /v1/users/me HTTP/1.1\r\nHost: okr\r\nX-Padding: " + "x".repeat(200));
            assertThat(took).isBetween(HEAD, HEAD.plus(SLACK));
        }
    }

    @Test
    void a_body_that_comes_byte_by_byte_is_a_408_and_ends_the_connection() throws Exception {
        try (var client = new Client()) {
            client.send(post(acme.key(acme.adminUser().uuid()), 1_000) + "{\"name\": \"");
            var took = client.drip("x".repeat(200));
            assertThat(took).isBetween(BODY, BODY.plus(SLACK));
            assertThat(client.answer())
                    .startsWith("HTTP/1.1 408 ")
                    .containsIgnoringCase("connection: close")
                    .contains("\"code\":\"request_timeout\"");
        }
        assertThat(admin.at(replica.uri()).get("/v1/cycles").meta().get("total").intValue())
                .isZero();
    }

    @Test
    void a_body_that_continues_after_the_response_closes_the_connection() throws Exception {
        try (var client = new Client()) {
            // The service does not wait for a body that is too large.
            client.send(post("no-key", 2_000_000) + "{");
            assertThat(client.read()).startsWith("HTTP/1.1 401 ");
            assertThat(client.drip("x".repeat(200))).isLessThan(BODY.plus(SLACK));
        }
    }

    @Test
    void a_file_that_arrives_byte_by_byte_is_a_408_and_frees_its_place() throws Exception {
        // The first part of a file has eight seconds more.
        var limit = BODY.plusSeconds(8);
        try (var client = new Client()) {
            client.send("POST /v1/imports HTTP/1.1\r\nHost: okr\r\nAuthorization: Bearer "
                    + acme.key(acme.adminUser().uuid())
                    + "\r\nContent-Type: application/x-ndjson\r\nContent-Length: 1000000\r\n\r\n{");
            assertThat(client.drip("x".repeat(200))).isBetween(limit, limit.plus(SLACK));
            assertThat(client.answer())
                    .startsWith("HTTP/1.1 408 ")
                    .containsIgnoringCase("connection: close")
                    .contains("\"code\":\"request_timeout\"");
        }
        // The place is free when the service has discarded the part that arrived, shortly after the response.
        await(() -> importFile().status() == 202, () -> "No place for another file");
    }

    @Test
    void an_idle_connection_is_kept_between_requests() throws Exception {
        try (var client = new Client()) {
            client.send("GET /q/health/live HTTP/1.1\r\nHost: okr\r\n\r\n");
            assertThat(client.read()).startsWith("HTTP/1.1 200 ");
            Thread.sleep(HEAD.plus(SLACK));
            client.send(post("no-key", 2));
            assertThat(client.read()).startsWith("HTTP/1.1 401 ");
            client.send("{}");
            Thread.sleep(BODY.plus(SLACK));
            client.send("GET /q/health/live HTTP/1.1\r\nHost: okr\r\n\r\n");
            assertThat(client.read()).startsWith("HTTP/1.1 200 ");
            assertThat(client.awaitEnd()).isBetween(IDLE.minusSeconds(1), IDLE.plus(SLACK));
        }
    }

    @Test
    void a_connection_without_any_request_is_closed() throws Exception {
        try (var client = new Client()) {
            assertThat(client.awaitEnd()).isBetween(HEAD.minusMillis(100), IDLE);
        }
    }

    private Answer importFile() {
        return admin.at(replica.uri())
                .header("Content-Type", "application/x-ndjson")
                .post("/v1/imports", "{}");
    }

    private static String post(String token, int length) {
        return "POST /v1/cycles HTTP/1.1\r\nHost: okr\r\nAuthorization: Bearer " + token
                + "\r\nContent-Type: application/json\r\nContent-Length: " + length + "\r\n\r\n";
    }

    /** A connection that sends byte by byte. */
    private static final class Client implements AutoCloseable {
        private final Socket socket =
                new Socket(replica.uri().getHost(), replica.uri().getPort());
        private final StringBuilder answer = new StringBuilder();

        Client() throws IOException {
            socket.setTcpNoDelay(true);
        }

        void send(String text) throws IOException {
            socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
        }

        /** Sends slowly until the service closes the connection, and returns how long that took. */
        Duration drip(String text) throws IOException {
            long start = System.nanoTime();
            socket.setSoTimeout((int) BETWEEN_BYTES.toMillis());
            for (var each : text.split("")) {
                try {
                    send(each);
                    if (!hear()) {
                        break;
                    }
                } catch (SocketException ended) {
                    break;
                }
            }
            return Duration.ofNanos(System.nanoTime() - start);
        }

        String read() throws IOException {
            answer.setLength(0);
            socket.setSoTimeout((int) SLACK.toMillis());
            hear();
            return answer.toString();
        }

        String answer() {
            return answer.toString();
        }

        Duration awaitEnd() throws IOException {
            long start = System.nanoTime();
            socket.setSoTimeout((int) IDLE.plus(SLACK).toMillis());
            assertThat(socket.getInputStream().read()).isEqualTo(-1);
            return Duration.ofNanos(System.nanoTime() - start);
        }

        /** Whether the connection may still receive data. */
        private boolean hear() throws IOException {
            var buffer = new byte[8192];
            try {
                int read = socket.getInputStream().read(buffer);
                if (read > 0) {
                    answer.append(new String(buffer, 0, read, StandardCharsets.ISO_8859_1));
                }
                return read >= 0;
            } catch (SocketTimeoutException silent) {
                return true;
            }
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }
}
