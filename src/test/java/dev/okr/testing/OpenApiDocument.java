package dev.okr.testing;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/** The OpenAPI document that the service itself serves. */
public final class OpenApiDocument {
    private static final List<String> METHODS = List.of("get", "post", "put", "patch", "delete");
    private static final Map<URI, OpenApiDocument> OF_SERVICES = new ConcurrentHashMap<>();

    private final JsonNode document;

    private OpenApiDocument(JsonNode document) {
        this.document = document;
    }

    /**
     * An operation of the API.
     *
     * @param filters the names of its query parameters
     * @param bodyFields the fields of its request body with an example each, null without a body
     */
    public record Operation(String method, String path, List<String> filters, Map<String, JsonNode> bodyFields) {
        public boolean hasReferences() {
            return bodyFields != null
                    && bodyFields.keySet().stream()
                            .anyMatch(name -> name.endsWith("_id") && !name.equals("external_id"));
        }

        @Override
        public String toString() {
            return method + ' ' + path;
        }
    }

    public static OpenApiDocument of(URI service) {
        return OF_SERVICES.computeIfAbsent(service, OpenApiDocument::fetch);
    }

    JsonNode json() {
        return document;
    }

    public List<Operation> operations() {
        var operations = new ArrayList<Operation>();
        document.get("paths").properties().forEach(path -> {
            for (var method : METHODS) {
                if (path.getValue().has(method)) {
                    operations.add(operation(method, path.getKey(), path.getValue()));
                }
            }
        });
        return operations;
    }

    private Operation operation(String method, String path, JsonNode item) {
        var operation = item.get(method);
        var filters = Stream.of(item.path("parameters"), operation.path("parameters"))
                .flatMap(parameters -> StreamSupport.stream(parameters.spliterator(), false))
                .map(this::resolve)
                .filter(parameter -> parameter.path("in").asText().equals("query"))
                .map(parameter -> parameter.get("name").asText())
                .toList();
        var body = operation.at("/requestBody/content/application~1json/schema");
        return new Operation(
                method.toUpperCase(Locale.ROOT), path, filters, body.isMissingNode() ? null : fields(resolve(body)));
    }

    private Map<String, JsonNode> fields(JsonNode schema) {
        var fields = new LinkedHashMap<String, JsonNode>();
        schema.path("properties")
                .properties()
                .forEach(field -> fields.put(field.getKey(), field.getValue().at("/examples/0")));
        return fields;
    }

    private JsonNode resolve(JsonNode node) {
        return node.has("$ref") ? document.at(node.get("$ref").asText().substring(1)) : node;
    }

    private static OpenApiDocument fetch(URI service) {
        try (var http = HttpClient.newHttpClient()) {
            var request = HttpRequest.newBuilder(service.resolve("/q/openapi?format=json"))
                    .build();
            var answer = http.send(request, HttpResponse.BodyHandlers.ofByteArray());
            return new OpenApiDocument(Json.read(answer.body()));
        } catch (IOException e) {
            throw new IllegalStateException("The service does not serve its OpenAPI document.", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}
