package dev.okr.objectives.mcp;

import dev.okr.platform.http.Decimals;
import dev.okr.platform.http.EnumNames;
import dev.okr.platform.http.ListQuery;
import dev.okr.platform.http.Text;
import dev.okr.platform.idempotency.IdempotentRequest;
import dev.okr.platform.ids.IdKind;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.math.BigDecimal;
import java.util.Arrays;
import java.util.Set;

/**
 * The JSON Schema of a tool's arguments. It is short, because a client sends all schemas to its model. Limits are the
 * constants that the API checks. {@code ToolDefinitionTest} compares the schemas with the OpenAPI document.
 */
final class InputSchema {
    static final String IDEMPOTENCY_KEY = "idempotency_key";

    private static final String NULL = "null";

    private final JsonObject properties = new JsonObject();
    private final JsonArray required = new JsonArray();

    InputSchema required(String name, JsonObject type) {
        required.add(name);
        return optional(name, type);
    }

    InputSchema optional(String name, JsonObject type) {
        properties.put(name, type);
        return this;
    }

    InputSchema withIdempotencyKey() {
        return optional(IDEMPOTENCY_KEY, text(1, IdempotentRequest.MAX_KEY_CHARACTERS));
    }

    /** The arguments of a list that is read in pages. */
    InputSchema withPages() {
        return optional("page", type("integer").put("minimum", 1))
                .optional(
                        "per_page",
                        type("integer")
                                .put("minimum", 1)
                                .put("maximum", ListQuery.MAX_PER_PAGE)
                                .put("default", ListQuery.DEFAULT_PER_PAGE));
    }

    Set<String> names() {
        return properties.fieldNames();
    }

    JsonObject json() {
        var json = type("object").put("properties", properties);
        if (!required.isEmpty()) {
            json.put("required", required);
        }
        return json.put("additionalProperties", false);
    }

    static JsonObject id(IdKind kind) {
        return type("string").put("pattern", '^' + kind.prefix() + '_');
    }

    static JsonObject title() {
        return text(1, Text.MAX_TITLE_CODE_POINTS);
    }

    static JsonObject note() {
        return type("string").put("maxLength", Text.MAX_NOTE_CODE_POINTS);
    }

    static JsonObject externalId() {
        return text(1, Text.MAX_EXTERNAL_ID_CHARACTERS);
    }

    static JsonObject text(int min, int max) {
        return type("string").put("minLength", min).put("maxLength", max);
    }

    static JsonObject time() {
        return type("string").put("format", "date-time");
    }

    static JsonObject decimal() {
        return type("number")
                .put("exclusiveMinimum", new BigDecimal(Decimals.EXCLUSIVE_MIN))
                .put("exclusiveMaximum", new BigDecimal(Decimals.EXCLUSIVE_MAX));
    }

    static JsonObject number(int min, int max) {
        return type("number").put("minimum", min).put("maximum", max);
    }

    static JsonObject integer(int min, int max) {
        return type("integer").put("minimum", min).put("maximum", max);
    }

    static <E extends Enum<E>> JsonObject constant(Class<E> type) {
        var names = new JsonArray();
        Arrays.stream(type.getEnumConstants()).map(EnumNames::format).forEach(names::add);
        return new JsonObject().put("enum", names);
    }

    /** A filter that takes one or more constants, separated by commas. */
    static <E extends Enum<E>> JsonObject constants(Class<E> type) {
        return described(type("string"), "One or more of " + EnumNames.names(type) + ", separated by commas");
    }

    static JsonObject array(InputSchema item, int max) {
        return type("array").put("items", item.json()).put("minItems", 1).put("maxItems", max);
    }

    /** A type that {@code null} clears. */
    static JsonObject clearable(JsonObject type) {
        return type.copy()
                .put("type", new JsonArray().add(type.getValue("type")).add(NULL));
    }

    static JsonObject described(JsonObject type, String description) {
        return type.copy().put("description", description);
    }

    private static JsonObject type(String name) {
        return new JsonObject().put("type", name);
    }
}
