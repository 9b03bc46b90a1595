package dev.okr.platform.openapi;

import org.eclipse.microprofile.openapi.models.Operation;
import org.eclipse.microprofile.openapi.models.PathItem.HttpMethod;

/** An operation of the document, with the resource method that serves it. */
record DescribedOperation(String path, HttpMethod method, Operation model, ResourceMethod resource) {
    private static final int CREATED = 201;
    private static final int ACCEPTED = 202;

    boolean isList() {
        return resource.returnsPage();
    }

    boolean hasCursor() {
        return isList() && !resource.isOrderedByName();
    }

    /** Whether it returns one resource with an entity tag. */
    boolean isSingleRead() {
        return method == HttpMethod.GET && !isList();
    }

    /** Whether its response has an entity tag. */
    boolean hasEntityTag() {
        return isSingleRead() || method == HttpMethod.PUT || (isPost() && !isAccepted());
    }

    /** Whether it accepts {@code If-Match}. */
    boolean isConditional() {
        return method == HttpMethod.PUT || method == HttpMethod.DELETE;
    }

    boolean isCreation() {
        return resource.status() == CREATED;
    }

    /** Whether the work continues in the background after the response. */
    boolean isAccepted() {
        return resource.status() == ACCEPTED;
    }

    boolean isWrite() {
        return method != HttpMethod.GET;
    }

    /** Whether it accepts an {@code Idempotency-Key}. ArchitectureTest checks that every POST does. */
    boolean isPost() {
        return method == HttpMethod.POST;
    }

    boolean hasBody() {
        return model.getRequestBody() != null;
    }

    boolean hasPathParameter() {
        return path.contains("{");
    }
}
