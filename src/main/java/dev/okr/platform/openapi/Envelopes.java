package dev.okr.platform.openapi;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.eclipse.microprofile.openapi.models.Components;
import org.eclipse.microprofile.openapi.models.media.Schema;

/**
 * Names the envelope of each resource after the resource: {@code ObjectiveList}, {@code ObjectiveDocument} and
 * {@code CheckInBatch}.
 */
final class Envelopes {
    private static final String DATA = "data";
    private static final String META = "meta";

    private Envelopes() {}

    static void complete(Components components, List<DescribedOperation> operations) {
        var newNames = new HashMap<String, String>();
        Map.copyOf(components.getSchemas()).forEach((name, schema) -> {
            if (isEnvelope(schema)) {
                newNames.put(name, rename(components, name, schema));
            }
        });
        operations.forEach(operation -> follow(newNames, operation));
    }

    private static boolean isEnvelope(Schema schema) {
        var properties = schema.getProperties();
        return properties != null
                && Set.of(Set.of(DATA), Set.of(DATA, META)).contains(properties.keySet())
                && held(schema).getRef() != null;
    }

    /** The schema reference of the resource in an envelope. */
    private static Schema held(Schema envelope) {
        var data = Objects.requireNonNull(envelope.getProperties().get(DATA));
        return data.getItems() == null ? data : data.getItems();
    }

    private static String rename(Components components, String name, Schema envelope) {
        boolean list = envelope.getProperties().containsKey(META);
        boolean batch = !list
                && Objects.requireNonNull(envelope.getProperties().get(DATA)).getItems() != null;
        var held = References.name(held(envelope));
        envelope.setRequired(new ArrayList<>(envelope.getProperties().keySet()));
        envelope.setDescription(
                (list ? "One page of a list of `%s`." : batch ? "Contains several `%s`." : "Contains one `%s`.")
                        .formatted(held));
        var newName = held + (list ? "List" : batch ? "Batch" : "Document");
        components.removeSchema(name);
        components.addSchema(newName, envelope);
        return newName;
    }

    private static void follow(Map<String, String> newNames, DescribedOperation operation) {
        for (var response : operation.model().getResponses().getAPIResponses().values()) {
            if (response.getContent() != null) {
                for (var mediaType : response.getContent().getMediaTypes().values()) {
                    var schema = mediaType.getSchema();
                    if (schema.getRef() != null) {
                        var name = References.name(schema);
                        schema.setRef(newNames.getOrDefault(name, name));
                    }
                }
            }
        }
    }
}
