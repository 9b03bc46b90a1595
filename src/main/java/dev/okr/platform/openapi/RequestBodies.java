package dev.okr.platform.openapi;

import java.util.List;
import org.eclipse.microprofile.openapi.models.Components;
import org.eclipse.microprofile.openapi.models.media.MediaType;

/**
 * Gives each request body the schema in its {@code @RequestBodySchema}. The parameter has the type {@code JsonBody},
 * and the scanner generates the schema of that type.
 */
final class RequestBodies {
    private RequestBodies() {}

    static void complete(Components components, List<DescribedOperation> operations) {
        for (var operation : operations) {
            if (operation.hasBody()) {
                var body = operation.model().getRequestBody();
                body.setRequired(true);
                body.getContent().getMediaTypes().values().forEach(mediaType -> name(components, operation, mediaType));
            }
        }
    }

    private static void name(Components components, DescribedOperation operation, MediaType mediaType) {
        var request = References.schema(operation.resource().requestSchema());
        // An unknown field is a 422.
        References.resolve(components, request).setAdditionalPropertiesBoolean(false);
        components.removeSchema(References.name(mediaType.getSchema()));
        mediaType.setSchema(request);
    }
}
