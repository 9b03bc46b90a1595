package dev.okr.access.limits;

import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.testing.HttpTest;
import dev.okr.testing.Requests;
import dev.okr.testing.ServiceProcess;
import io.quarkus.test.junit.DisabledOnIntegrationTest;
import io.quarkus.test.junit.QuarkusIntegrationTest;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Clients that request large pages and do not read them, at a replica with little memory. */
@QuarkusIntegrationTest
@DisabledOnIntegrationTest(forArtifactTypes = DisabledOnIntegrationTest.ArtifactType.NATIVE_BINARY)
@Tag("waits")
class LargeResponseIT extends HttpTest {
    private static final int CLIENTS = 60;
    private static final int OBJECTIVES = 30;
    private static final int SMALL_BUFFER_BYTES = 4_096;
    private static final Duration FAST = Duration.ofSeconds(1);

    @Test
    void unread_pages_of_one_organisation_do_not_slow_others_down() throws Exception {
        var other = organization().viewer();
        makeLargeObjectives();
        var memory = Map.of("JAVA_TOOL_OPTIONS", "-Xmx128m -XX:MaxDirectMemorySize=16m");
        List<Socket> sockets = new ArrayList<>();
        try (var replica = ServiceProcess.onTestDatabase(memory)) {
            other = other.at(replica.uri());
            other.get("/v1/cycles").is(200);
            for (int i = 0; i < CLIENTS; i++) {
                sockets.add(request(replica, acme.key(acme.viewerUser().uuid())));
            }
            for (int i = 0; i < 20; i++) {
                var start = Instant.now();
                other.get("/v1/cycles").is(200);
                assertThat(replica.status("/q/health/live")).isEqualTo(200);
                assertThat(Duration.between(start, Instant.now())).isLessThan(FAST);
                Thread.sleep(50);
            }
            // A client that gets no page is told so.
            assertThat(sockets.stream().map(LargeResponseIT::start)).contains("HTTP/1.1 200", "HTTP/1.1 503");
        } finally {
            for (var socket : sockets) {
                socket.close();
            }
        }
    }

    @Test
    void a_large_page_arrives_completely() {
        makeLargeObjectives();
        for (var encoding : List.of("identity", "gzip")) {
            var page = viewer.header("Accept-Encoding", encoding)
                    .get("/v1/objectives?per_page=100")
                    .is(200);
            assertThat(page.ids()).hasSizeGreaterThanOrEqualTo(OBJECTIVES);
        }
    }

    /** Each character of the description has twelve bytes in JSON. */
    private void makeLargeObjectives() {
        var cycle = admin.post("/v1/cycles", Requests.cycle()).is(201).id();
        for (int i = 0; i < OBJECTIVES; i++) {
            var objective = Requests.objective(cycle);
            objective.put("description", "\uD83D\uDE00".repeat(4_096));
            admin.post("/v1/objectives", objective).is(201);
        }
    }

    private static Socket request(ServiceProcess replica, String key) throws IOException {
        var socket = new Socket();
        socket.setReceiveBufferSize(SMALL_BUFFER_BYTES);
        socket.connect(
                new InetSocketAddress(replica.uri().getHost(), replica.uri().getPort()));
        socket.getOutputStream()
                .write("GET /v1/objectives?per_page=100 HTTP/1.1\r\nHost: okr\r\nAuthorization: Bearer %s\r\n\r\n"
                        .formatted(key)
                        .getBytes(StandardCharsets.US_ASCII));
        return socket;
    }

    private static String start(Socket socket) {
        try {
            socket.setSoTimeout(1_000);
            return new String(socket.getInputStream().readNBytes(12), StandardCharsets.US_ASCII);
        } catch (SocketTimeoutException e) {
            return "";
        } catch (IOException e) {
            return "closed";
        }
    }
}
