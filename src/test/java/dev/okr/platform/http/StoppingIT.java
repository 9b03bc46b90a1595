package dev.okr.platform.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.testing.HttpTest;
import dev.okr.testing.RawHttp;
import dev.okr.testing.ServiceProcess;
import io.quarkus.test.junit.QuarkusIntegrationTest;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A packaged service that stops during requests. */
@QuarkusIntegrationTest
@Tag("waits")
class StoppingIT extends HttpTest {
    private static final Duration MAX_NOTICE = Duration.ofSeconds(2);
    private static final Duration MAX_STOP = Duration.ofSeconds(15);
    private static final int PAUSE_MILLIS = 50;
    private static final String LIVE = "GET /q/health/live HTTP/1.1\r\nHost: localhost\r\n\r\n";

    private ServiceProcess replica;

    @AfterEach
    void stop() {
        replica.close();
    }

    @Test
    void a_stopping_replica_is_not_ready_and_closes_connections_after_a_response() throws Exception {
        replica = ServiceProcess.onTestDatabase(Map.of("QUARKUS_SHUTDOWN_DELAY", "4s"));
        assertThat(RawHttp.send(replica.uri(), LIVE))
                .contains("200 OK")
                .doesNotContainIgnoringCase("connection: close");

        replica.terminate();
        awaitNotReady();
        assertThat(RawHttp.send(replica.uri(), LIVE)).contains("200 OK").containsIgnoringCase("connection: close");
        assertThat(RawHttp.send(replica.uri(), "GET /v1/users/me HTTP/1.1\r\nHost: localhost\r\n\r\n"))
                .contains("401 Unauthorized");
        assertThat(replica.isAlive()).isTrue();
        assertThat(replica.stop()).isLessThan(MAX_STOP);
    }

    @Test
    void a_stopping_replica_finishes_a_request_whose_body_is_incomplete() throws Exception {
        replica = ServiceProcess.onTestDatabase(Map.of());
        try (var socket = new Socket(replica.uri().getHost(), replica.uri().getPort())) {
            var body =
                    "{\"name\": \"Q1\", \"starts_at\": \"2027-01-01T00:00:00Z\", \"ends_at\": \"2027-04-01T00:00:00Z\"}";
            send(
                    socket,
                    "POST /v1/cycles HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n"
                            .formatted(acme.key(acme.adminUser().uuid())));
            send(socket, "Content-Type: application/json\r\nContent-Length: %d\r\n\r\n{".formatted(body.length()));
            Thread.sleep(Duration.ofMillis(500));

            replica.terminate();
            Thread.sleep(Duration.ofSeconds(1));
            send(socket, body.substring(1));
            var answer = new String(socket.getInputStream().readNBytes(12), StandardCharsets.US_ASCII);
            assertThat(answer).isEqualTo("HTTP/1.1 201");
        }
        assertThat(replica.stop()).isLessThan(MAX_STOP);
    }

    private static void send(Socket socket, String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
    }

    private void awaitNotReady() throws InterruptedException {
        var deadline = Instant.now().plus(MAX_NOTICE);
        while (!RawHttp.send(replica.uri(), "GET /q/health/ready HTTP/1.1\r\nHost: localhost\r\n\r\n")
                .contains("503 Service Unavailable")) {
            assertThat(Instant.now()).isBefore(deadline);
            Thread.sleep(PAUSE_MILLIS);
        }
    }
}
