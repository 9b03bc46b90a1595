package dev.okr.openapi;

import dev.okr.auth.RequiredRights;
import org.eclipse.microprofile.openapi.models.Operation;
import org.eclipse.microprofile.openapi.models.PathItem.HttpMethod;

/**
 * An operation of the document, and what can be told of it by its address and name. The name, the operation id, is
 * that of the resource method: {@code list}, {@code get}, {@code create}, {@code update} or {@code delete} and a noun.
 */
record DescribedOperation(String path, HttpMethod method, Operation model) {
    private static final String API = "/v1";

    boolean isList() {
        return model.getOperationId().startsWith("list");
    }

    boolean isCreation() {
        return model.getOperationId().startsWith("create");
    }

    boolean isWrite() {
        return method != HttpMethod.GET;
    }

    boolean hasBody() {
        return model.getRequestBody() != null;
    }

    boolean hasPathParameter() {
        return path.contains("{");
    }

    /** Every operation says what its caller must be allowed to do. */
    void describeRights() {
        var rights = RequiredRights.of(method.name(), path.substring(API.length()));
        var written = model.getDescription();
        model.setDescription(written == null ? rights : written + "\n\n" + rights);
    }

    /** A text in {@code META-INF/openapi.yaml} that lost its operation must not go on as a promise. */
    void requireServed() {
        if (model.getOperationId() == null) {
            throw new IllegalStateException(
                    "META-INF/openapi.yaml describes %s %s, which no resource serves.".formatted(method, path));
        }
    }
}
