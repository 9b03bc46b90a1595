package dev.okr.objectives.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.okr.testing.Assistant;
import dev.okr.testing.HttpTest;
import io.quarkus.test.junit.QuarkusTest;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;

/** What an assistant reads about the tools. */
@QuarkusTest
class ToolDefinitionTest extends HttpTest {
    private static final int MAX_TOKENS = 4_000;
    private static final int CHARACTERS_PER_TOKEN = 4;

    private static final List<String> LIMITS = List.of(
            "minLength",
            "maxLength",
            "minimum",
            "maximum",
            "exclusiveMinimum",
            "exclusiveMaximum",
            "minItems",
            "maxItems",
            "enum",
            "format");

    /** The bodies of the API that tools take as arguments. */
    private static final Map<String, String> BODIES = Map.of(
            "check_in", "CreateCheckIn",
            "check_in_batch", "CreateCheckInBatch",
            "create_objective", "CreateObjective",
            "update_objective", "UpdateObjective",
            "create_key_result", "CreateKeyResult",
            "update_key_result", "UpdateKeyResult",
            "align_objectives", "CreateAlignment");

    /** The ids that are in the path of the API. */
    private static final Map<String, String> PATH_IDS = Map.of(
            "check_in", "key_result_id",
            "update_objective", "objective_id",
            "create_key_result", "objective_id",
            "update_key_result", "key_result_id");

    @Test
    void all_definitions_fit_into_4_000_tokens() {
        var assistant = new Assistant(admin);
        var definitions = assistant.message("tools/list", Map.of()).text();
        var instructions = assistant.initialize().path("instructions").asText();

        assertThat((definitions.length() + instructions.length()) / CHARACTERS_PER_TOKEN)
                .isLessThan(MAX_TOKENS);
    }

    @Test
    void every_tool_says_what_it_is_for_and_what_it_may_do() {
        for (var tool : new Assistant(admin).tools()) {
            assertThat(tool.path("title").asText()).isNotBlank();
            assertThat(tool.path("description").asText()).hasSizeGreaterThan(60);
            var hints = tool.path("annotations");
            boolean writes = tool.path("inputSchema").path("properties").has("idempotency_key");
            assertThat(hints.path("readOnlyHint").isBoolean()).isTrue();
            assertThat(hints.path("readOnlyHint").asBoolean())
                    .as(tool.toString())
                    .isEqualTo(!writes);
            assertThat(hints.path("destructiveHint").isBoolean()).isTrue();
            assertThat(hints.path("idempotentHint").isBoolean()).isTrue();
            assertThat(hints.path("openWorldHint").asBoolean(true)).isFalse();
            assertThat(tool.path("inputSchema").path("type").asText()).isEqualTo("object");
            assertThat(tool.path("inputSchema").path("additionalProperties").asBoolean(true))
                    .isFalse();
        }
    }

    @Test
    void the_arguments_of_writing_tools_are_the_fields_of_the_api() {
        var document = stranger().get("/q/openapi?format=json").json();
        var tools = new Assistant(admin).tools();

        BODIES.forEach((name, body) -> {
            var tool = tools.stream()
                    .filter(each -> each.path("name").asText().equals(name))
                    .findFirst()
                    .orElseThrow();
            compare(document, tool.path("inputSchema"), schema(document, body), name);
        });
    }

    @Test
    void the_arguments_of_reading_tools_are_parameters_of_the_api() {
        var document = stranger().get("/q/openapi?format=json").json();
        for (var tool : new Assistant(admin).tools()) {
            var name = tool.path("name").asText();
            var operation = EveryToolTest.OPERATIONS.get(name).split(" ");
            if (!operation[0].equals("GET")) {
                continue;
            }
            var parameters = parameters(document, operation[1].replaceAll("\\{\\w+_id}", "{id}"));
            tool.path("inputSchema").path("properties").properties().forEach(property -> {
                var argument = property.getKey();
                if (!operation[1].contains('{' + argument + '}')) {
                    assertThat(parameters).as(name).containsKey(argument);
                    compare(document, property.getValue(), parameters.get(argument));
                }
            });
        }
    }

    private static Map<String, JsonNode> parameters(JsonNode document, String path) {
        var parameters = new HashMap<String, JsonNode>();
        var item = document.path("paths").required(path);
        for (var each : item.path("get").path("parameters")) {
            var reference = each.path("$ref").asText();
            var parameter = reference.isEmpty() ? each : document.requiredAt(reference.substring(1));
            parameters.put(parameter.path("name").asText(), parameter.path("schema"));
        }
        return parameters;
    }

    private static void compare(JsonNode document, JsonNode argument, JsonNode parameter) {
        // A parameter accepts several constants, separated by commas. The description of the argument lists them.
        for (var constant : resolved(document, parameter.path("items")).path("enum")) {
            assertThat(argument.path("description").asText()).contains(constant.asText());
        }
        for (var limit : List.of("minimum", "default", "format")) {
            assertThat(limit(argument, limit)).as(argument.toString()).isEqualTo(limit(parameter, limit));
        }
    }

    private static void compare(JsonNode document, JsonNode input, JsonNode body, String name) {
        var own = names(input.path("properties"));
        own.remove("idempotency_key");
        own.remove(PATH_IDS.get(name));
        assertThat(own).as(name).isEqualTo(names(body.path("properties")));
        var required = texts(input.path("required"));
        required.remove(PATH_IDS.get(name));
        assertThat(required).as(name).isEqualTo(texts(body.path("required")));
        for (var field : own) {
            var argument = input.path("properties").path(field);
            var expected = resolved(document, body.path("properties").path(field));
            for (var limit : LIMITS) {
                assertThat(limit(argument, limit))
                        .as("%s %s %s", name, field, limit)
                        .isEqualTo(limit(expected, limit));
            }
            if (argument.has("items")) {
                compare(document, argument.path("items"), resolved(document, expected.path("items")), field);
            }
        }
    }

    /** The format of an integer says only how many bits it may need. */
    private static String limit(JsonNode schema, String limit) {
        var value = schema.path(limit);
        return value.asText().equals("int32")
                ? ""
                : value.isNumber() ? value.decimalValue().toPlainString() : value.toString();
    }

    private static JsonNode resolved(JsonNode document, JsonNode schema) {
        var referring = schema.has("anyOf") ? schema.path("anyOf").path(0) : schema;
        var reference = referring.path("$ref").asText();
        return reference.isEmpty() ? referring : schema(document, reference.substring(reference.lastIndexOf('/') + 1));
    }

    private static JsonNode schema(JsonNode document, String name) {
        return document.path("components").path("schemas").required(name);
    }

    private static Set<String> names(JsonNode object) {
        var names = new HashSet<String>();
        object.fieldNames().forEachRemaining(names::add);
        return names;
    }

    private static Set<String> texts(JsonNode array) {
        var texts = new HashSet<String>();
        StreamSupport.stream(array.spliterator(), false).map(JsonNode::asText).forEach(texts::add);
        return texts;
    }
}
