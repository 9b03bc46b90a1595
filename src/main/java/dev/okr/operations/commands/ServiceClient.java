package dev.okr.operations.commands;

import com.fasterxml.jackson.core.StreamWriteFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import org.jspecify.annotations.Nullable;

/** Reads from a running service over HTTP. */
final class ServiceClient {
    /** Keeps numbers as they are written. */
    static final ObjectMapper JSON = JsonMapper.builder()
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .enable(StreamWriteFeature.WRITE_BIGDECIMAL_AS_PLAIN)
            .nodeFactory(JsonNodeFactory.withExactBigDecimals(true))
            .build();

    private static final Duration MAX_CONNECT = Duration.ofSeconds(5);
    private static final Duration MAX_ANSWER = Duration.ofSeconds(30);
    private static final int OK = 200;

    private final URI service;
    private final @Nullable String key;

    ServiceClient(URI service, @Nullable String key) {
        this.service = service;
        this.key = key;
    }

    /**
     * An answer of the service.
     *
     * @param retryAfter how long the service asks to wait
     * @param at the time of the service
     */
    record Answer(int status, JsonNode body, Duration retryAfter, Instant at) {
        boolean isOk() {
            return status == OK;
        }

        /** A temporary failure. The same request may succeed later. */
        boolean isTemporary() {
            return status == 408 || status == 429 || status >= 500;
        }

        String reason() {
            return "The service answers " + status + ": " + body.path("detail").asText("no detail");
        }
    }

    /** @param path with the query */
    Answer get(String path) throws IOException {
        var connection =
                (HttpURLConnection) URI.create(withoutSlash() + path).toURL().openConnection();
        connection.setConnectTimeout((int) MAX_CONNECT.toMillis());
        connection.setReadTimeout((int) MAX_ANSWER.toMillis());
        connection.setRequestProperty("Accept", "application/json");
        if (key != null) {
            connection.setRequestProperty("Authorization", "Bearer " + key);
        }
        try {
            int status = connection.getResponseCode();
            try (var body = status < 400 ? connection.getInputStream() : connection.getErrorStream()) {
                return new Answer(
                        status,
                        body == null ? JSON.missingNode() : JSON.readTree(body),
                        wait(connection),
                        time(connection));
            }
        } finally {
            connection.disconnect();
        }
    }

    private String withoutSlash() {
        var text = service.toString();
        return text.endsWith("/") ? text.substring(0, text.length() - 1) : text;
    }

    private static Duration wait(HttpURLConnection connection) {
        return Duration.ofSeconds(Math.clamp(connection.getHeaderFieldLong("Retry-After", 0), 0, 60));
    }

    private static Instant time(HttpURLConnection connection) {
        var date = connection.getHeaderField("Date");
        return date == null
                ? Instant.now()
                : ZonedDateTime.parse(date, DateTimeFormatter.RFC_1123_DATE_TIME)
                        .toInstant();
    }
}
