package dev.okr.testing;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A client of the service. {@link Contract} checks every response against the service's own OpenAPI document and the
 * rules for all responses. The client is immutable, and threads may share it.
 */
public final class Api {
    private static final Duration TIMEOUT = Duration.ofSeconds(60);
    private static final HttpClient HTTP = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(Duration.ofSeconds(10))
            .build();

    private final URI service;
    private final Map<String, String> headers;

    private Api(URI service, Map<String, String> headers) {
        this.service = service;
        this.headers = headers;
    }

    public static Api of(URI service) {
        return new Api(service, Map.of("Accept", "application/json"));
    }

    /** The same client of another replica. */
    public Api at(URI replica) {
        return new Api(replica, headers);
    }

    /** The same client with another API key. */
    public Api with(String token) {
        return header("Authorization", "Bearer " + token);
    }

    /** The same client with another header, or another value of a header. */
    public Api header(String name, String value) {
        var more = new LinkedHashMap<>(headers);
        more.put(name, value);
        return new Api(service, more);
    }

    public Answer get(String path) {
        return send("GET", path, null);
    }

    /** @param body an object to be written as JSON, or JSON itself as text or bytes */
    public Answer post(String path, Object body) {
        return send("POST", path, body);
    }

    public Answer put(String path, Object body) {
        return send("PUT", path, body);
    }

    public Answer delete(String path) {
        return send("DELETE", path, null);
    }

    /** @param body null for none */
    public Answer send(String method, String path, Object body) {
        var bytes = bytes(body);
        return exchange(
                method,
                path,
                bytes,
                bytes == null ? HttpRequest.BodyPublishers.noBody() : HttpRequest.BodyPublishers.ofByteArray(bytes));
    }

    /** Posts a body without a Content-Length. */
    public Answer postChunked(String path, byte[] body) {
        var chunked = HttpRequest.BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(body));
        return exchange("POST", path, body, chunked);
    }

    private Answer exchange(String method, String path, byte[] body, HttpRequest.BodyPublisher publisher) {
        var request = HttpRequest.newBuilder(service.resolve(path)).timeout(TIMEOUT);
        headers.forEach(request::setHeader);
        if (body != null && !headers.containsKey("Content-Type")) {
            request.setHeader("Content-Type", "application/json");
        }
        return exchange(request.method(method, publisher).build(), body);
    }

    private Answer exchange(HttpRequest request, byte[] body) {
        try {
            var response = HTTP.send(request, HttpResponse.BodyHandlers.ofByteArray());
            var answer = new Answer(request.method() + ' ' + request.uri(), response);
            Contract.of(service).check(request, body, answer);
            return answer;
        } catch (IOException e) {
            throw new UncheckedIOException(request.method() + ' ' + request.uri(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private static byte[] bytes(Object body) {
        return switch (body) {
            case null -> null;
            case byte[] bytes -> bytes;
            case String text -> text.getBytes(StandardCharsets.UTF_8);
            default -> Json.write(body).getBytes(StandardCharsets.UTF_8);
        };
    }
}
