package dev.okr.platform.openapi;

import dev.okr.platform.http.JsonBody;
import jakarta.ws.rs.core.MediaType;
import org.eclipse.microprofile.openapi.OASFactory;
import org.eclipse.microprofile.openapi.models.Operation;
import org.eclipse.microprofile.openapi.models.PathItem;
import org.eclipse.microprofile.openapi.models.parameters.RequestBody;

/** Describes the PATCH of each resource that has a PUT. No resource serves it, see {@code platform.http.Patch}. */
final class Patches {
    private static final String UPDATE = "update";

    private Patches() {}

    static void add(PathItem path) {
        var put = path.getPUT();
        if (put != null) {
            path.setPATCH(patch(put));
        }
    }

    private static Operation patch(Operation put) {
        return OASFactory.createOperation()
                .operationId("patch" + put.getOperationId().substring(UPDATE.length()))
                .summary(put.getSummary())
                .description("Does what PUT does.\n\n" + put.getDescription())
                .tags(put.getTags())
                .parameters(put.getParameters())
                .requestBody(body(put.getRequestBody()))
                .responses(put.getResponses());
    }

    private static RequestBody body(RequestBody put) {
        var json = put.getContent().getMediaType(MediaType.APPLICATION_JSON);
        return OASFactory.createRequestBody()
                .required(true)
                .content(OASFactory.createContent()
                        .addMediaType(JsonBody.MERGE_PATCH, json)
                        .addMediaType(MediaType.APPLICATION_JSON, json));
    }
}
