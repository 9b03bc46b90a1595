package dev.okr.platform.openapi;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Rules for the document that do not depend on the resources. {@link GoldenDocumentTest} compares the whole document
 * with its copy.
 */
class DocumentTest {
    private final JsonNode document = new ObjectMapper(new YAMLFactory())
            .readTree(Path.of("docs", "openapi.yaml").toFile());

    DocumentTest() throws IOException {}

    @Test
    void every_operation_is_described_and_lists_the_problems_that_all_have() {
        var operations = operations();
        assertThat(operations).isNotEmpty().allSatisfy(operation -> {
            assertThat(operation.path("summary").asText()).isNotBlank();
            assertThat(operation.path("description").asText()).contains("Requires the scope `");
            assertThat(operation.path("tags")).hasSize(1);
            assertThat(operation.path("responses").propertyStream().map(response -> response.getKey()))
                    .contains("400", "401", "403", "406", "500", "503");
        });
    }

    @Test
    void every_list_is_paged_and_every_creation_has_a_location() {
        assertThat(operations()).allSatisfy(operation -> {
            var id = operation.path("operationId").asText();
            if (id.startsWith("list")) {
                assertThat(operation.path("parameters").findValuesAsText("$ref"))
                        .contains("#/components/parameters/Page", "#/components/parameters/PerPage");
                assertThat(operation.at("/responses/200/headers/Link").isMissingNode())
                        .isFalse();
            }
            if (id.startsWith("create")) {
                assertThat(operation.at("/responses/201/headers/Location").isMissingNode())
                        .isFalse();
            }
        });
    }

    @Test
    void every_request_has_a_schema_without_additional_fields() {
        // The lines of an import have no schema.
        assertThat(operations().stream()
                        .filter(operation -> operation.has("requestBody")
                                && !operation.path("operationId").asText().equals("importData")))
                .isNotEmpty()
                .allSatisfy(operation -> {
                    var body = operation.path("requestBody");
                    assertThat(body.path("required").asBoolean()).isTrue();
                    var reference =
                            body.at("/content/application~1json/schema/$ref").asText();
                    assertThat(document.at(reference.substring(1))
                                    .path("additionalProperties")
                                    .isBoolean())
                            .isTrue();
                });
    }

    @Test
    void fields_are_in_snake_case() {
        var names = new ArrayList<String>();
        document.at("/components/schemas")
                .forEach(schema -> schema.path("properties").fieldNames().forEachRemaining(names::add));
        assertThat(names).isNotEmpty().allMatch(name -> name.matches("[a-z]+(_[a-z]+)*"));
    }

    @Test
    void every_schema_is_used() {
        var references = document.findValuesAsText("$ref");
        document.at("/components/schemas")
                .fieldNames()
                .forEachRemaining(name -> assertThat(references).contains("#/components/schemas/" + name));
    }

    private List<JsonNode> operations() {
        var operations = new ArrayList<JsonNode>();
        document.path("paths").forEach(path -> path.forEach(operations::add));
        return operations;
    }
}
