package dev.okr.events;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;

/** The OpenAPI document and the guide for subscribers describe the same events. */
class EventCatalogueTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Pattern BLOCK = Pattern.compile("```json\n(.*?)\n```", Pattern.DOTALL);
    private static final Pattern SIGNED = Pattern.compile("""
            secret `whsec_(?<secret>[^`]+)` and

            ```http
            webhook-id: (?<id>.+)
            webhook-timestamp: (?<timestamp>.+)
            webhook-signature: (?<signature>.+)

            (?<body>.+)
            ```
            """);

    private final JsonNode document = new ObjectMapper(new YAMLFactory())
            .readTree(Path.of("docs", "openapi.yaml").toFile());
    private final String guide = Files.readString(Path.of("docs", "webhooks.md"));

    EventCatalogueTest() throws IOException {}

    @Test
    void the_document_contains_exactly_the_types_of_events() {
        assertThat(document.path("webhooks").fieldNames()).toIterable().containsExactlyElementsOf(types());
    }

    @Test
    void every_event_is_described() {
        forEachEvent((type, operation) -> {
            assertThat(operation.path("summary").asText()).as(type).isNotBlank();
            assertThat(operation.path("description").asText()).as(type).startsWith("Sent ");
            assertThat(operation.path("security").isArray()).as(type).isTrue();
            assertThat(operation.path("security")).as(type).isEmpty();
            assertThat(operation.path("parameters")).as(type).hasSize(3);
            assertThat(operation.path("responses").fieldNames())
                    .toIterable()
                    .as(type)
                    .containsExactly("2XX", "410", "default");
        });
    }

    @Test
    void every_example_has_its_type_and_the_old_values() {
        forEachEvent((type, operation) -> assertThat(examples(operation))
                .as(type)
                .isNotEmpty()
                .allSatisfy(example -> {
                    assertThat(example.path("type").asText()).isEqualTo(type);
                    assertThat(example.has("previous")).isEqualTo(type.endsWith(".updated"));
                    example.path("previous")
                            .properties()
                            .forEach(old -> assertThat(example.path("data").get(old.getKey()))
                                    .as(old.getKey())
                                    .isNotEqualTo(old.getValue()));
                }));
    }

    @Test
    void no_two_examples_have_the_same_id() {
        var ids = new ArrayList<String>();
        forEachEvent((type, operation) -> examples(operation)
                .forEach(example -> ids.add(example.path("id").asText())));
        assertThat(ids).doesNotHaveDuplicates();
    }

    /** An event is a request, and OpenAPI does not allow read-only fields in requests. */
    @Test
    void the_fields_of_events_are_not_read_only() {
        forEachEvent((type, operation) -> {
            var event = resolve(operation.at("/requestBody/content/application~1json/schema"));
            var resource = resolve(event.at("/properties/data"));
            assertThat(resource.path("properties")).as(type).isNotEmpty().noneMatch(field -> field.has("readOnly"));
        });
    }

    @Test
    void the_guide_contains_the_same_events_as_the_document() {
        var chapters = guide.substring(guide.indexOf("\n## The catalogue\n")).split("\n### ", -1);
        assertThat(Stream.of(chapters)
                        .skip(1)
                        .map(chapter ->
                                chapter.lines().findFirst().orElseThrow().replace("`", "")))
                .containsExactlyElementsOf(types());
        for (int i = 1; i < chapters.length; i++) {
            var operation = operation(types().get(i - 1));
            var paragraphs = chapters[i].split("\n\n", 3);
            assertThat(paragraphs[1].replace('\n', ' '))
                    .isEqualTo(operation.path("description").asText());
            assertThat(BLOCK.matcher(chapters[i]).results().map(block -> json(block.group(1))))
                    .as(paragraphs[0])
                    .containsExactlyElementsOf(examples(operation));
        }
    }

    @Test
    void the_signature_in_the_guide_is_correct_and_equals_the_one_in_the_document() throws Exception {
        var signed = SIGNED.matcher(guide);
        assertThat(signed.find()).isTrue();
        var mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(Base64.getDecoder().decode(signed.group("secret")), "HmacSHA256"));
        var content = String.join(".", signed.group("id"), signed.group("timestamp"), signed.group("body"));
        assertThat(signed.group("signature"))
                .isEqualTo("v1,"
                        + Base64.getEncoder().encodeToString(mac.doFinal(content.getBytes(StandardCharsets.UTF_8))));

        assertThat(headerExample("WebhookId")).isEqualTo(signed.group("id"));
        assertThat(headerExample("WebhookTimestamp")).isEqualTo(signed.group("timestamp"));
        assertThat(headerExample("WebhookSignature")).isEqualTo(signed.group("signature"));
        assertThat(examples(operation("check_in.created"))).containsExactly(json(signed.group("body")));
    }

    private static List<String> types() {
        return Stream.of(EventType.values()).map(EventType::type).toList();
    }

    private void forEachEvent(BiConsumer<String, JsonNode> check) {
        types().forEach(type -> check.accept(type, operation(type)));
    }

    private JsonNode operation(String type) {
        return document.path("webhooks").path(type).path("post");
    }

    private static List<JsonNode> examples(JsonNode operation) {
        var content = operation.at("/requestBody/content/application~1json");
        return content.has("example")
                ? List.of(content.get("example"))
                : content.path("examples")
                        .valueStream()
                        .map(each -> each.get("value"))
                        .toList();
    }

    private String headerExample(String parameter) {
        return document.at("/components/parameters")
                .path(parameter)
                .path("example")
                .asText();
    }

    private JsonNode resolve(JsonNode reference) {
        return document.at(reference.path("$ref").asText().substring(1));
    }

    private static JsonNode json(String text) {
        try {
            return JSON.readTree(text);
        } catch (JsonProcessingException e) {
            throw new UncheckedIOException(e);
        }
    }
}
