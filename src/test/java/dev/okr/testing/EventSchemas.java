package dev.okr.testing;

import static org.assertj.core.api.Assertions.assertThat;

import com.atlassian.oai.validator.report.MessageResolver;
import com.atlassian.oai.validator.schema.SchemaValidator;
import com.fasterxml.jackson.databind.JsonNode;
import io.swagger.v3.oas.models.OpenAPI;
import io.swagger.v3.parser.OpenAPIV3Parser;
import java.net.URI;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The schemas of event types in the served OpenAPI document. */
public final class EventSchemas {
    private static final Map<URI, EventSchemas> OF_SERVICES = new ConcurrentHashMap<>();

    private final JsonNode webhooks;
    private final OpenAPI document;
    private final SchemaValidator validator;

    private EventSchemas(JsonNode document) {
        this.webhooks = document.required("webhooks");
        this.document = new OpenAPIV3Parser()
                .readContents(OpenApi30.from(document).toString())
                .getOpenAPI();
        this.validator = new SchemaValidator(this.document, new MessageResolver());
    }

    public static EventSchemas of(URI service) {
        return OF_SERVICES.computeIfAbsent(
                service, known -> new EventSchemas(OpenApiDocument.of(known).json()));
    }

    /** Checks an event against the schema of its type. */
    public void check(JsonNode event) {
        var type = event.required("type").textValue();
        var reference = webhooks.required(type)
                .at("/post/requestBody/content/application~1json/schema/$ref")
                .textValue();
        var schema = document.getComponents().getSchemas().get(reference.substring(reference.lastIndexOf('/') + 1));
        assertThat(validator.validate(event.toString(), schema, type).getMessages())
                .as(event::toPrettyString)
                .isEmpty();
    }
}
