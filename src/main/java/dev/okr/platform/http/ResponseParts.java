package dev.okr.platform.http;

import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerResponse;

/**
 * Sends a response in parts. The next part follows when the socket has taken the one before. So a connection needs
 * little direct memory, even if its client does not read.
 */
public final class ResponseParts {
    public static final int MAX_BYTES = 65_536;

    private ResponseParts() {}

    /** Whether these are the headers of a response with more than {@link #MAX_BYTES}. */
    public static boolean isLarge(MultiMap headers) {
        var length = headers.get(HttpHeaders.CONTENT_LENGTH);
        return length != null && Long.parseLong(length) > MAX_BYTES;
    }

    static void send(Buffer body, HttpServerResponse response) {
        if (body.length() > MAX_BYTES) {
            response.putHeader(HttpHeaders.CONTENT_LENGTH, String.valueOf(body.length()));
        }
        sendFrom(0, body, response);
    }

    private static void sendFrom(int start, Buffer body, HttpServerResponse response) {
        int end = Math.min(start + MAX_BYTES, body.length());
        if (end == body.length()) {
            response.end(start == 0 ? body : body.slice(start, end));
        } else {
            response.write(body.slice(start, end)).onSuccess(written -> sendFrom(end, body, response));
        }
    }
}
