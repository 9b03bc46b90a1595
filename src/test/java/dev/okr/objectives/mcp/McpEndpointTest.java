package dev.okr.objectives.mcp;

import static dev.okr.testing.Json.object;
import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.testing.Answer;
import dev.okr.testing.Assistant;
import dev.okr.testing.HttpTest;
import dev.okr.testing.Json;
import dev.okr.testing.Metrics;
import io.quarkus.test.junit.QuarkusTest;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The transport of the tools: keys, messages and errors. */
@QuarkusTest
class McpEndpointTest extends HttpTest {
    private static final Map<String, Object> PING = object("jsonrpc", "2.0", "id", 1, "method", "ping");

    @Test
    void initialize_explains_okrs() {
        var result = new Assistant(viewer).initialize();

        assertThat(result.path("protocolVersion").asText()).isEqualTo("2025-06-18");
        assertThat(result.path("serverInfo").path("name").asText()).isEqualTo("okr");
        assertThat(result.path("capabilities").has("tools")).isTrue();
        assertThat(result.path("instructions").asText()).contains("objective", "key result", "idempotency_key");
    }

    /** Another replica may have handled {@code initialize}. */
    @Test
    void no_message_needs_an_earlier_one() {
        var assistant = new Assistant(viewer.header("Mcp-Session-Id", "of-another-replica"));

        assistant.notify("notifications/initialized").is(202);
        assertThat(assistant.toolNames()).contains("who_am_i");
        assistant.call("who_am_i").succeeds();
        assistant.notify("notifications/cancelled").is(202);
    }

    /** A session would stay in memory until it has been idle for a minute. */
    @Test
    void the_service_keeps_no_sessions() {
        var assistant = new Assistant(viewer);

        for (int i = 0; i < 20; i++) {
            assistant.initialize();
            assistant.call("who_am_i").succeeds();
        }

        await(() -> sessions() == 0, () -> sessions() + " sessions");
    }

    private double sessions() {
        return Metrics.of(service)
                .samples("mcp_server_connections_active")
                .getFirst()
                .value();
    }

    @Test
    void the_key_is_checked_like_in_the_api() {
        var stranger = stranger().post("/mcp", PING).isProblem(401, "unauthenticated");
        assertThat(stranger.header("WWW-Authenticate")).hasValue("Bearer");
        stranger().with("okr_nonsense").post("/mcp", PING).isProblem(401, "unauthenticated");
        organization("free").admin().post("/mcp", PING).isProblem(403, "plan_required");
        var expired = acme.key(acme.adminUser().uuid(), Instant.EPOCH, "read");
        stranger().with(expired).post("/mcp", PING).isProblem(401, "unauthenticated");
    }

    @Test
    void responses_are_compressed_on_request() {
        var answer = new Assistant(viewer.header("Accept-Encoding", "gzip")).message("tools/list", Map.of());

        assertThat(answer.is(200).header("Content-Encoding")).hasValue("gzip");
        assertThat(answer.bytes()).hasSizeLessThan(4_096);
    }

    @Test
    void responses_are_not_cached() {
        var answer = viewer.post("/mcp", PING).is(200);

        assertThat(answer.header("Cache-Control")).hasValue("no-store");
        assertThat(answer.header("Vary")).hasValue("Authorization, Accept-Encoding");
    }

    @Test
    void other_methods_and_paths_do_not_exist() {
        for (var method : List.of("GET", "DELETE", "PUT")) {
            var answer = viewer.send(method, "/mcp", null).isProblem(405, "method_not_allowed");
            assertThat(answer.header("Allow")).hasValue("POST");
        }
        for (var path : List.of("/mcp/sse", "/mcp/messages/x", "/mcp/", "/mcp/x")) {
            viewer.get(path).isNotFound();
            viewer.post(path, PING).isNotFound();
        }
    }

    @Test
    void websites_need_an_allowed_origin() {
        viewer.header("Origin", "https://evil.test").post("/mcp", PING).isProblem(403, "forbidden");
        viewer.header("Origin", "null").post("/mcp", PING).isProblem(403, "forbidden");
        viewer.header("Origin", "http://localhost:6274").post("/mcp", PING).is(200);
    }

    @Test
    void malformed_messages_are_refused() {
        for (var body : List.of(
                "",
                "{",
                "[]",
                "[" + Json.write(PING) + "]",
                "\"text\"",
                "{}",
                "{\"jsonrpc\": \"2.0\"}",
                "{\"jsonrpc\": 2, \"id\": 1, \"method\": \"ping\"}",
                "{\"jsonrpc\": \"2.0\", \"id\": 1, \"id\": 1, \"method\": \"ping\"}",
                "{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": 5}",
                "{\"jsonrpc\": \"2.0\", \"id\": [], \"method\": \"ping\"}",
                "{\"jsonrpc\": \"2.0\", \"id\": 1.5, \"method\": \"ping\"}",
                "{\"jsonrpc\": \"2.0\", \"id\": \"" + "x".repeat(256) + "\", \"method\": \"ping\"}",
                "{\"jsonrpc\": \"2.0\", \"id\": --, \"method\": \"ping\"}",
                "{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"tools/list\", \"params\": []}",
                "{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"initialize\"}",
                "{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"logging/setLevel\"}",
                "{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"tools/call\"}",
                "{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"tools/call\", \"params\": {\"name\": 1}}",
                "{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"tools/call\","
                        + " \"params\": {\"name\": \"who_am_i\", \"arguments\": []}}")) {
            viewer.post("/mcp", body).isMalformed();
        }
        viewer.header("MCP-Protocol-Version", "1999-01-01").post("/mcp", PING).isMalformed();
        viewer.header("Accept", "text/html").post("/mcp", PING).isProblem(406, "not_acceptable");
        viewer.header("Content-Type", "text/plain").post("/mcp", PING).isProblem(415, "unsupported_media_type");
        viewer.post("/mcp", " ".repeat((1 << 20) + 1)).isProblem(413, "body_too_large");
    }

    @Test
    void unknown_methods_and_tools_are_errors_of_the_protocol() {
        var assistant = new Assistant(admin);

        for (var method : List.of("nope", "prompts/get", "resources/read", "completion/complete", "q/close")) {
            assertThat(error(assistant.message(method, Map.of()).is(200))).isEqualTo(-32_601);
        }
        assertThat(error(assistant.tryCall("delete_objective", Map.of()).is(200)))
                .isEqualTo(-32_602);
        assertThat(error(assistant.message("tools/list", object("cursor", "x")).is(200)))
                .isEqualTo(-32_602);
        assertThat(assistant
                        .message("ping", Map.of())
                        .is(200)
                        .json()
                        .path("result")
                        .isObject())
                .isTrue();
        assertThat(assistant
                        .message("logging/setLevel", object("level", "debug"))
                        .is(200)
                        .json()
                        .has("result"))
                .isTrue();
        assertThat(assistant
                        .message("logging/setLevel", object("level", "x"))
                        .is(200)
                        .json()
                        .has("error"))
                .isTrue();
    }

    private static int error(Answer answer) {
        return answer.json().path("error").path("code").asInt();
    }
}
