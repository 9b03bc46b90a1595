package dev.okr.platform.openapi;

import java.util.List;
import org.eclipse.microprofile.openapi.models.Components;
import org.eclipse.microprofile.openapi.models.media.MediaType;

/**
 * Gives each request body its schema. Resource methods take every body as a {@code JsonBody}, which says nothing of
 * its fields; the record that is read from it is named as the operation is: {@code createCycle} takes a
 * {@code CreateCycle}.
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
        var id = operation.model().getOperationId();
        var request = References.schema(Character.toUpperCase(id.charAt(0)) + id.substring(1));
        // An unknown field is a 422.
        References.resolve(components, request).setAdditionalPropertiesBoolean(false);
        components.removeSchema(References.name(mediaType.getSchema()));
        mediaType.setSchema(request);
    }
}
