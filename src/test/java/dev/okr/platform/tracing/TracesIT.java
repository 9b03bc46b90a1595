package dev.okr.platform.tracing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.testing.Api;
import dev.okr.testing.HttpTest;
import dev.okr.testing.Json;
import dev.okr.testing.Receiver;
import dev.okr.testing.Receiver.Received;
import dev.okr.testing.ServiceProcess;
import io.quarkus.test.junit.QuarkusIntegrationTest;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The packaged service with and without a receiver of traces (OTLP over HTTP). */
@QuarkusIntegrationTest
class TracesIT extends HttpTest {
    private static final Duration MAX_WAIT = Duration.ofSeconds(20);

    /** The default endpoint of Quarkus. */
    private static final int STANDARD_PORT = 4317;

    private static final String TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
    private static final String PARENT = "00-" + TRACE + "-00f067aa0ba902b7-01";
    private static final String UNKNOWN = "/v1/objectives/obj_00000000000000000000000000";

    @Test
    void a_trace_has_the_request_and_its_statements_and_its_id_is_in_problem_and_log() throws Exception {
        var requestId = UUID.randomUUID().toString();
        try (var collector = Receiver.start();
                var replica = ServiceProcess.onTestDatabase(Map.of(
                        "OTEL_EXPORTER_OTLP_ENDPOINT",
                        collector.url(""),
                        "OTEL_EXPORTER_OTLP_PROTOCOL",
                        "http/protobuf",
                        "QUARKUS_OTEL_BSP_SCHEDULE_DELAY",
                        "PT0.2S"))) {
            var problem = admin.at(replica.uri())
                    .header("traceparent", PARENT)
                    .header("X-Request-Id", requestId)
                    .get(UNKNOWN)
                    .isNotFound();
            assertThat(problem.json().get("trace_id").asText()).isEqualTo(TRACE);

            stranger().at(replica.uri()).get("/settings/signed-in?code=secret-code");
            stranger().at(replica.uri()).header("traceparent", PARENT).get("/settings/signed-in?code=secret-code");
            var own = stranger().at(replica.uri()).get("/v1/users/me").isProblem(401, "unauthenticated");
            assertThat(own.json().get("trace_id").asText()).matches("[0-9a-f]{32}");

            await(collector, TRACE, "GET /v1/objectives/{id}", "SELECT");
            await(collector, own.json().get("trace_id").asText(), "/v1/users/me");
            assertThat(collector.received())
                    .allMatch(request -> request.target().equals("/v1/traces"))
                    .allMatch(request -> request.method().equals("POST"));
            // Background work has no trace. The delivery queue was polled many times.
            assertThat(sent(collector)).doesNotContain("delivery", "secret-code");
            assertThat(accessLog(requestId)).contains("\"traceId\":\"" + TRACE + '"', "\"spanId\":\"");
        }
    }

    @Test
    void webhook_requests_have_no_trace_headers() throws Exception {
        try (var collector = Receiver.start();
                var subscriber = Receiver.start();
                var replica = ServiceProcess.onTestDatabase(Map.of(
                        "QUARKUS_OTEL_EXPORTER_OTLP_ENDPOINT",
                        collector.url(""),
                        "QUARKUS_OTEL_EXPORTER_OTLP_PROTOCOL",
                        "http/protobuf",
                        "QUARKUS_OTEL_BSP_SCHEDULE_DELAY",
                        "PT0.2S",
                        "OKR_WEBHOOKS_ALLOW_HTTP",
                        "true",
                        "OKR_WEBHOOKS_ALLOWED_NETWORKS",
                        "127.0.0.0/8"))) {
            var api = admin.at(replica.uri()).header("traceparent", PARENT);
            var webhook = api.post(
                            "/v1/webhooks",
                            Json.object("url", subscriber.url("/secret-path"), "events", List.of("cycle.created")))
                    .is(201)
                    .id();
            api.post("/v1/webhooks/" + webhook + "/ping", null);

            var ping = subscriber.await(1).getFirst();
            assertThat(ping.headers()).doesNotContainKeys("traceparent", "tracestate", "baggage");
            await(collector, TRACE, "POST /v1/webhooks");
            Thread.sleep(1_000);
            assertThat(sent(collector)).doesNotContain("secret-path");
        }
    }

    @Test
    void without_an_endpoint_nothing_is_traced_whatever_a_client_sends() throws Exception {
        var requestId = UUID.randomUUID().toString();
        try (var standard = Receiver.start("127.0.0.1", STANDARD_PORT);
                var replica = ServiceProcess.onTestDatabase(Map.of("QUARKUS_OTEL_BSP_SCHEDULE_DELAY", "PT0.2S"))) {
            var answer = Api.of(replica.uri())
                    .header("traceparent", PARENT)
                    .header("X-Request-Id", requestId)
                    .get("/v1/users/me")
                    .isProblem(401, "unauthenticated");

            assertThat(answer.json().has("trace_id")).isFalse();
            assertThat(accessLog(requestId)).doesNotContain("traceId", "spanId");
            Thread.sleep(1_000);
            assertThat(standard.connections()).isZero();
        }
    }

    private static void await(Receiver collector, String trace, String... texts) throws InterruptedException {
        var id = new String(HexFormat.of().parseHex(trace), StandardCharsets.ISO_8859_1);
        for (var end = Instant.now().plus(MAX_WAIT); Instant.now().isBefore(end); Thread.sleep(100)) {
            if (sent(collector).contains(id) && List.of(texts).stream().allMatch(sent(collector)::contains)) {
                return;
            }
        }
        assertThat(sent(collector)).contains(id).contains(texts);
    }

    /** All received bytes. Protobuf contains names and ids as plain text. */
    private static String sent(Receiver collector) {
        return collector.received().stream()
                .map(Received::body)
                .map(body -> new String(body, StandardCharsets.ISO_8859_1))
                .collect(Collectors.joining());
    }

    /** The access log line of a request, which is written shortly after the response. */
    private static String accessLog(String requestId) throws InterruptedException {
        for (var end = Instant.now().plus(MAX_WAIT); Instant.now().isBefore(end); Thread.sleep(100)) {
            var line = ServiceProcess.log()
                    .lines()
                    .filter(each -> each.contains("dev.okr.access") && each.contains(requestId))
                    .findFirst();
            if (line.isPresent()) {
                return line.get();
            }
        }
        throw new AssertionError("no line of the log has the request id " + requestId);
    }
}
