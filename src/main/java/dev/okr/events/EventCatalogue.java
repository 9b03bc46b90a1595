package dev.okr.events;

import dev.okr.platform.openapi.DocumentFilter;
import dev.okr.platform.openapi.References;
import io.quarkus.smallrye.openapi.OpenApiFilter;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.eclipse.microprofile.openapi.OASFactory;
import org.eclipse.microprofile.openapi.OASFilter;
import org.eclipse.microprofile.openapi.models.Components;
import org.eclipse.microprofile.openapi.models.OpenAPI;
import org.eclipse.microprofile.openapi.models.Operation;
import org.eclipse.microprofile.openapi.models.PathItem;
import org.eclipse.microprofile.openapi.models.media.Schema;
import org.eclipse.microprofile.openapi.models.media.Schema.SchemaType;
import org.eclipse.microprofile.openapi.models.responses.APIResponses;

/**
 * Completes the webhooks of the OpenAPI document, one for each type of event. {@code META-INF/openapi.yaml} describes
 * when an event is sent, with an example. This filter adds the schema and everything else that follows from the type.
 */
@OpenApiFilter(stages = OpenApiFilter.RunStage.BUILD, priority = DocumentFilter.BEFORE)
public class EventCatalogue implements OASFilter {
    private static final String TAG = "Events";
    private static final String ACTOR = "EventActor";
    private static final List<String> HEADERS = List.of("WebhookId", "WebhookTimestamp", "WebhookSignature");

    /** Fields that also change without an update request. All others in `previous` are those that an update accepts. */
    private static final Set<String> DERIVED =
            Set.of("progress", "status", "confidence", "closed_at", "final_progress");

    @Override
    public void filterOpenAPI(OpenAPI document) {
        var components = document.getComponents();
        listTypes(components);
        var written = new LinkedHashMap<>(document.getWebhooks());
        var webhooks = new LinkedHashMap<String, PathItem>();
        for (var type : EventType.values()) {
            var webhook = written.remove(type.type());
            if (webhook == null) {
                throw new IllegalStateException("META-INF/openapi.yaml does not describe the event " + type.type());
            }
            complete(type, webhook.getPOST(), components);
            webhooks.put(type.type(), webhook);
        }
        if (!written.isEmpty()) {
            throw new IllegalStateException("META-INF/openapi.yaml describes unknown events: " + written.keySet());
        }
        document.setWebhooks(webhooks);
    }

    /** Lists the public names of the types. The scanner found the names of the constants instead. */
    private static void listTypes(Components components) {
        References.resolve(components, References.schema("EventType"))
                .setEnumeration(Stream.of(EventType.values())
                        .<Object>map(EventType::type)
                        .toList());
    }

    private static void complete(EventType type, Operation operation, Components components) {
        var name = name(type.name());
        components.addSchema(name + "Event", schema(type, components));
        operation.setOperationId(name.substring(0, 1).toLowerCase(Locale.ROOT) + name.substring(1));
        operation.addTag(TAG);
        operation.setSecurity(List.of());
        HEADERS.forEach(
                header -> operation.addParameter(OASFactory.createParameter().ref(header)));
        var body = operation.getRequestBody();
        body.setRequired(true);
        body.getContent()
                .getMediaTypes()
                .values()
                .forEach(mediaType -> mediaType.setSchema(References.schema(name + "Event")));
        operation.setResponses(responses());
    }

    private static APIResponses responses() {
        return OASFactory.createAPIResponses()
                .addAPIResponse("2XX", OASFactory.createAPIResponse().ref("EventReceived"))
                .addAPIResponse("410", OASFactory.createAPIResponse().ref("EventUnwanted"))
                .addAPIResponse("default", OASFactory.createAPIResponse().ref("EventNotReceived"));
    }

    private static Schema schema(EventType type, Components components) {
        var resource = resource(type);
        var schema = OASFactory.createSchema()
                .addType(SchemaType.OBJECT)
                .description("The event `%s`.".formatted(type.type()))
                .addProperty("id", id())
                .addProperty("type", text("What happened.").constValue(type.type()))
                .addProperty("timestamp", timestamp())
                .addProperty("data", References.schema(resource).description(data(type)))
                .required(List.of("id", "type", "timestamp", "data"));
        if (isUpdate(type)) {
            schema.addProperty("previous", previous(resource, components)).addRequired("previous");
        }
        var actor = References.schema(ACTOR)
                .description("The user who caused the event. Absent if no user did, for example when a cycle starts.");
        return schema.addProperty("actor", actor);
    }

    private static Schema id() {
        return text("The event's id. The header `webhook-id` has the same value.")
                .addExample("evt_01k9m2x7q4e8rvb3t5w6y0zacd");
    }

    private static Schema timestamp() {
        return text("When the change happened.").format("date-time").addExample("2027-01-11T09:00:00Z");
    }

    private static String data(EventType type) {
        return isDeletion(type) ? "The resource as it was before the deletion." : "The resource as lists show it.";
    }

    /** The schema of `previous`: the old values of the fields whose change causes an update event. */
    private static Schema previous(String resource, Components components) {
        var previous = OASFactory.createSchema()
                .addType(SchemaType.OBJECT)
                .description(
                        "The old values of the fields that changed, without `updated_at`. `null` if a field had no value.")
                .minProperties(1);
        var now = References.resolve(components, References.schema(resource));
        var update = References.resolve(components, References.schema("Update" + resource));
        now.getProperties().forEach((field, schema) -> {
            if (update.getProperties().containsKey(field) || DERIVED.contains(field)) {
                boolean nullable = !now.getRequired().contains(field);
                // A reference to a type cannot also accept null.
                var type = nullable && schema.getRef() != null ? References.resolve(components, schema) : schema;
                previous.addProperty(field, old(type, nullable));
            }
        });
        return previous;
    }

    private static Schema old(Schema now, boolean nullable) {
        var old = OASFactory.createSchema()
                .ref(now.getRef())
                .type(now.getType())
                .format(now.getFormat())
                .minimum(now.getMinimum())
                .maximum(now.getMaximum())
                .examples(now.getExamples());
        return nullable ? old.addType(SchemaType.NULL) : old;
    }

    private static Schema text(String description) {
        return OASFactory.createSchema().addType(SchemaType.STRING).description(description);
    }

    private static String resource(EventType type) {
        return name(type.name().substring(0, type.name().lastIndexOf('_')));
    }

    private static boolean isUpdate(EventType type) {
        return type.type().endsWith(".updated");
    }

    private static boolean isDeletion(EventType type) {
        return type.type().endsWith(".deleted") || type.type().endsWith(".removed");
    }

    /** The name of a schema from the name of a constant: {@code KEY_RESULT} becomes {@code KeyResult}. */
    private static String name(String constant) {
        return Arrays.stream(constant.split("_"))
                .map(word -> word.charAt(0) + word.substring(1).toLowerCase(Locale.ROOT))
                .collect(Collectors.joining());
    }
}
