package dev.okr.platform.openapi;

import java.util.Set;
import org.eclipse.microprofile.openapi.models.Operation;
import org.eclipse.microprofile.openapi.models.PathItem.HttpMethod;

/**
 * An operation of the document, and what can be told of it by its address and name. The name, the operation id, is
 * that of the resource method: {@code list}, {@code get}, {@code create}, {@code update} or {@code delete} and a noun.
 */
record DescribedOperation(String path, HttpMethod method, Operation model) {
    private static final Set<String> ACCEPTED = Set.of("pingWebhook", "recoverWebhook", "redeliver");

    boolean isList() {
        return model.getOperationId().startsWith("list");
    }

    /** Whether it shows one resource, in a state that has an entity tag. */
    boolean isSingleRead() {
        return method == HttpMethod.GET && !isList();
    }

    /** Whether its response shows a resource in a state that has an entity tag. */
    boolean showsState() {
        return isSingleRead() || method == HttpMethod.PUT || (isPost() && !isAccepted());
    }

    /** Whether it can be made to depend on the state that the caller knows. */
    boolean isConditional() {
        return method == HttpMethod.PUT || method == HttpMethod.DELETE;
    }

    boolean isCreation() {
        return model.getOperationId().startsWith("create");
    }

    /** Whether it only takes note of what is then done in the background. */
    boolean isAccepted() {
        return ACCEPTED.contains(model.getOperationId());
    }

    boolean isWrite() {
        return method != HttpMethod.GET;
    }

    /** Whether it can be repeated safely with an {@code Idempotency-Key}. */
    boolean isPost() {
        return method == HttpMethod.POST;
    }

    boolean hasBody() {
        return model.getRequestBody() != null;
    }

    boolean hasPathParameter() {
        return path.contains("{");
    }

    /** A text in {@code META-INF/openapi.yaml} that lost its operation must not go on as a promise. */
    void requireServed() {
        if (model.getOperationId() == null) {
            throw new IllegalStateException(
                    "META-INF/openapi.yaml describes %s %s, which no resource serves.".formatted(method, path));
        }
    }
}
