package dev.okr.testing;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;

/** Converts an OpenAPI 3.1 document to 3.0, because the validator supports only 3.0 completely. */
final class OpenApi30 {
    private static final List<String> WITHOUT_MEANING = List.of("examples", "example", "description", "title");

    private OpenApi30() {}

    static ObjectNode from(JsonNode document) {
        ObjectNode copy = document.deepCopy();
        copy.put("openapi", "3.0.3");
        copy.remove("webhooks");
        copy.withObject("/info").remove(List.of("summary", "license"));
        copy.path("components").path("schemas").forEach(OpenApi30::convert);
        convertSchemas(copy.path("paths"));
        convertSchemas(copy.path("components").path("parameters"));
        convertSchemas(copy.path("components").path("responses"));
        convertSchemas(copy.path("components").path("requestBodies"));
        convertSchemas(copy.path("components").path("headers"));
        return copy;
    }

    /** Converts every {@code schema} at or below a node. */
    private static void convertSchemas(JsonNode node) {
        if (node instanceof ObjectNode object) {
            object.remove("examples");
        }
        if (node.get("schema") instanceof ObjectNode schema) {
            convert(schema);
        }
        node.forEach(OpenApi30::convertSchemas);
    }

    private static void convert(JsonNode node) {
        if (!(node instanceof ObjectNode schema)) {
            return;
        }
        schema.remove(WITHOUT_MEANING);
        convertType(schema);
        convertConstant(schema);
        convertExclusive(schema, "exclusiveMinimum", "minimum");
        convertExclusive(schema, "exclusiveMaximum", "maximum");
        schema.path("properties").forEach(OpenApi30::convert);
        convert(schema.path("items"));
        convert(schema.path("not"));
        convert(schema.path("additionalProperties"));
        for (var combinator : List.of("allOf", "anyOf", "oneOf")) {
            convertAlternatives(schema, combinator);
        }
        convertReference(schema);
    }

    /** {@code type: [string, "null"]} is {@code type: string, nullable: true}. */
    private static void convertType(ObjectNode schema) {
        if (schema.get("type") instanceof ArrayNode types) {
            for (var type : types) {
                if (type.textValue().equals("null")) {
                    schema.put("nullable", true);
                } else if (schema.get("type").isArray()) {
                    schema.put("type", type.textValue());
                } else {
                    throw new IllegalArgumentException("A value has several types: " + types);
                }
            }
        }
    }

    private static void convertConstant(ObjectNode schema) {
        var constant = schema.remove("const");
        if (constant != null) {
            schema.putArray("enum").add(constant);
        }
        // Replace null in an enum with nullable.
        if (schema.get("enum") instanceof ArrayNode values) {
            for (int i = values.size() - 1; i >= 0; i--) {
                if (values.get(i).isNull()) {
                    values.remove(i);
                    schema.put("nullable", true);
                }
            }
        }
    }

    /**
     * Converts an exclusive bound to an inclusive one. The validator uses binary floating point, in which
     * 99999999999.999999 equals 100000000000.
     */
    private static void convertExclusive(ObjectNode schema, String exclusive, String inclusive) {
        var bound = schema.remove(exclusive);
        if (bound != null) {
            schema.set(inclusive, bound);
        }
    }

    /** Converts an alternative {@code type: "null"} to {@code nullable}. */
    private static void convertAlternatives(ObjectNode schema, String combinator) {
        if (!(schema.get(combinator) instanceof ArrayNode alternatives)) {
            return;
        }
        for (int i = alternatives.size() - 1; i >= 0; i--) {
            if (alternatives.get(i).path("type").asText().equals("null")) {
                alternatives.remove(i);
                schema.put("nullable", true);
            }
        }
        alternatives.forEach(OpenApi30::convert);
    }

    /** In 3.1, an object with a reference can have other keywords. In 3.0 they are ignored. */
    private static void convertReference(ObjectNode schema) {
        if (schema.has("$ref") && schema.size() > 1) {
            var reference = schema.remove("$ref");
            schema.withArray("allOf").addObject().set("$ref", reference);
        }
    }
}
