package dev.okr.testing;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.stream.StreamSupport;

/** A client of the tools at {@code /mcp}. It sends each message like an assistant does. */
public final class Assistant {
    private final Api api;

    public Assistant(Api api) {
        this.api = api.header("Accept", "application/json, text/event-stream");
    }

    /** The result of a tool. */
    public record Result(boolean isError, JsonNode content, String text) {
        public Result succeeds() {
            assertThat(isError).as(text).isFalse();
            return this;
        }

        public Result failsWith(String code) {
            assertThat(isError).as(text).isTrue();
            assertThat(content.path("code").asText()).as(text).isEqualTo(code);
            return this;
        }

        public String id() {
            return succeeds().content.path("data").path("id").asText();
        }
    }

    public JsonNode initialize() {
        var client = Json.object("name", "test", "version", "1");
        return message(
                        "initialize",
                        Json.object("protocolVersion", "2025-06-18", "capabilities", Map.of(), "clientInfo", client))
                .is(200)
                .json()
                .path("result");
    }

    public Answer notify(String method) {
        return api.post("/mcp", Json.object("jsonrpc", "2.0", "method", method));
    }

    public List<JsonNode> tools() {
        var tools =
                message("tools/list", Map.of()).is(200).json().path("result").path("tools");
        return StreamSupport.stream(tools.spliterator(), false).toList();
    }

    public List<String> toolNames() {
        return tools().stream().map(tool -> tool.path("name").asText()).toList();
    }

    public Result call(String tool, Object... namesAndValues) {
        return call(tool, Json.object(namesAndValues));
    }

    public Result call(String tool, Map<String, Object> arguments) {
        var answer = tryCall(tool, arguments).is(200);
        var result = answer.json().path("result");
        assertThat(result.isObject()).as(answer::toString).isTrue();
        var text = result.path("content").path(0).path("text").asText();
        assertThat(Json.read(text.getBytes(StandardCharsets.UTF_8)))
                .as(answer::toString)
                .isEqualTo(result.path("structuredContent"));
        return new Result(result.path("isError").asBoolean(), result.path("structuredContent"), text);
    }

    public Answer tryCall(String tool, Map<String, Object> arguments) {
        return message("tools/call", Json.object("name", tool, "arguments", arguments));
    }

    public Answer message(String method, Object params) {
        return api.post("/mcp", Json.object("jsonrpc", "2.0", "id", 1, "method", method, "params", params));
    }
}
