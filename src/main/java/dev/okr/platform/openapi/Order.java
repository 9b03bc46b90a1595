package dev.okr.platform.openapi;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.TreeMap;
import org.eclipse.microprofile.openapi.models.OpenAPI;
import org.eclipse.microprofile.openapi.models.Operation;
import org.eclipse.microprofile.openapi.models.PathItem;
import org.eclipse.microprofile.openapi.models.PathItem.HttpMethod;

/**
 * Sorts the document for readers, independent of the order of the scan. It removes each part and sets it again, which
 * moves the part to the end.
 */
final class Order {
    private static final List<HttpMethod> METHODS =
            List.of(HttpMethod.GET, HttpMethod.POST, HttpMethod.PUT, HttpMethod.PATCH, HttpMethod.DELETE);

    private Order() {}

    static void arrange(OpenAPI document) {
        document.getPaths().getPathItems().values().forEach(Order::arrangeMethods);
        document.getWebhooks().values().forEach(Order::arrangeMethods);
        var components = document.getComponents();
        components.setSchemas(new TreeMap<>(components.getSchemas()));
        document.setComponents(null);
        document.setComponents(components);
    }

    private static void arrangeMethods(PathItem path) {
        var operations = new LinkedHashMap<HttpMethod, Operation>(path.getOperations());
        operations.keySet().forEach(method -> path.setOperation(method, null));
        METHODS.stream()
                .filter(operations::containsKey)
                .forEach(method -> path.setOperation(method, operations.get(method)));
        operations.values().forEach(Order::arrange);
    }

    private static void arrange(Operation operation) {
        var description = operation.getDescription();
        var parameters = operation.getParameters();
        var requestBody = operation.getRequestBody();
        var responses = operation.getResponses();
        operation.description(null).description(description);
        operation.parameters(null).parameters(parameters);
        operation.requestBody(null).requestBody(requestBody);
        operation.responses(null).responses(responses);
    }
}
