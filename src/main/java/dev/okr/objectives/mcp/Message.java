package dev.okr.objectives.mcp;

import dev.okr.platform.errors.Failure;
import dev.okr.platform.http.JsonBody;
import dev.okr.platform.http.JsonValue;
import io.vertx.core.json.JsonObject;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A JSON-RPC message of a client. The extension fails with an internal error, or never responds, if a field has an
 * unexpected type. So it only gets messages that {@link #rewritten} creates.
 *
 * @param id null for a notification or a response
 */
record Message(@Nullable Object id, String method, JsonBody params) {
    static final String INITIALIZE = "initialize";
    static final String CALL_TOOL = "tools/call";

    private static final String ID = "id";
    private static final String METHOD = "method";
    private static final String PARAMS = "params";
    private static final String VERSION = "2.0";
    private static final String NO_METHOD = "";
    private static final int MAX_INTEGER_DIGITS = 18;

    /** Limits the response, which repeats the id. */
    private static final int MAX_ID_CHARACTERS = 255;

    /** @throws Failure if the body is not a message */
    static Message read(byte[] bytes) {
        var body = JsonBody.parse(bytes);
        var fields = body.members();
        if (!VERSION.equals(text(body, "jsonrpc"))) {
            throw Failure.malformed("The field /jsonrpc must be \"2.0\".");
        }
        if (!fields.containsKey(METHOD)) {
            if (fields.containsKey("result") || fields.containsKey("error")) {
                return new Message(null, NO_METHOD, body);
            }
            throw Failure.malformed("The field /method must be a string.");
        }
        return new Message(id(body), text(body, METHOD), params(body));
    }

    boolean needsResponse() {
        return id != null;
    }

    /** The name of the tool in a call. */
    String tool() {
        return text(params, "name");
    }

    /** The arguments in a call. */
    JsonBody arguments() {
        return objectOrEmpty(params, "arguments");
    }

    /** The message for the extension. */
    JsonObject rewritten() {
        var written = switch (method) {
            case INITIALIZE -> initialization();
            case CALL_TOOL -> new JsonObject().put("name", tool()).put("arguments", new JsonObject());
            case "logging/setLevel" -> new JsonObject().put("level", text(params, "level"));
            default -> new JsonObject();
        };
        return new JsonObject()
                .put("jsonrpc", VERSION)
                .put(ID, id)
                .put(METHOD, method)
                .put(PARAMS, written);
    }

    private JsonObject initialization() {
        var client = objectOrEmpty(params, "clientInfo");
        return new JsonObject()
                .put("protocolVersion", text(params, "protocolVersion"))
                .put("capabilities", new JsonObject())
                .put(
                        "clientInfo",
                        new JsonObject().put("name", text(client, "name")).put("version", text(client, "version")));
    }

    private static @Nullable Object id(JsonBody body) {
        return switch (body.members().get(ID)) {
            case null -> null;
            case JsonValue.Text(var text) when text.length() <= MAX_ID_CHARACTERS -> text;
            case JsonValue.Number(var lexeme) when isInteger(lexeme) -> Long.valueOf(lexeme);
            case JsonValue other ->
                throw Failure.malformed("The field /id must be an integer or a string of at most %d characters."
                        .formatted(MAX_ID_CHARACTERS));
        };
    }

    private static boolean isInteger(String lexeme) {
        return lexeme.length() <= MAX_INTEGER_DIGITS
                && lexeme.chars().allMatch(character -> character == '-' || (character >= '0' && character <= '9'));
    }

    private static JsonBody params(JsonBody body) {
        return objectOrEmpty(body, PARAMS);
    }

    private static JsonBody objectOrEmpty(JsonBody body, String field) {
        return body.members().containsKey(field)
                ? body.object(field).orElseThrow(() -> wrong(field, "an object"))
                : body.without(body.members().keySet());
    }

    private static String text(JsonBody body, String field) {
        return Optional.ofNullable(body.members().get(field))
                .flatMap(value -> value instanceof JsonValue.Text(var text) ? Optional.of(text) : Optional.empty())
                .orElseThrow(() -> wrong(field, "a string"));
    }

    private static Failure wrong(String field, String type) {
        return Failure.malformed("The field %s of the message must be %s.".formatted(field, type));
    }
}
