package dev.okr.webhooks;

import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.impl.HttpClientConnection;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** One HTTP request in flight, with its response. Tracks whether and why it was aborted. */
final class Exchange {
    private static final long NO_ERROR_CODE = 0;
    private static final String MULTIPART_FORM = "multipart/form-data";

    /**
     * The time in which the rest of an unread response must arrive. Otherwise its connection is closed, unless Vert.x
     * has assigned the connection to another exchange.
     */
    private static final long REMAINDER_TIMEOUT_MILLIS = 100;

    private final Vertx vertx;

    /**
     * The exchange that uses each connection. Vert.x assigns a connection to the next request as soon as a response has
     * arrived, even if the service has not read the response. From then on, resetting the old request would abort the
     * new one.
     */
    private final ConcurrentMap<HttpConnection, Exchange> exchanges;

    private final String requestTarget;

    private @Nullable CompletableFuture<?> result;
    private @Nullable HttpClientRequest request;
    private @Nullable Throwable failure;

    /** The error code if this side aborted the exchange. Otherwise null. */
    private @Nullable String abortCode;

    private boolean ended;

    Exchange(Vertx vertx, ConcurrentMap<HttpConnection, Exchange> exchanges, String requestTarget) {
        this.vertx = vertx;
        this.requestTarget = requestTarget;
        this.exchanges = exchanges;
    }

    /** @param result the future that the sender waits for */
    synchronized void await(CompletableFuture<?> result) {
        this.result = result;
        if (abortCode != null) {
            result.completeExceptionally(new TimeoutException());
        }
    }

    /**
     * Called when the request has a connection, before any byte of the request is written.
     *
     * @param allowed whether the request may be written to this connection
     */
    synchronized void start(HttpClientRequest request, boolean allowed) {
        if (abortCode != null || ended) {
            request.reset(NO_ERROR_CODE);
            return;
        }
        this.request = request;
        exchanges.put(request.connection(), this);
        request.response().onSuccess(Exchange::hideMultipart).onFailure(this::fail);
        // The REST client requests the root path. The checked path and query are set here, so that the client cannot
        // rewrite them.
        var root = request.getURI();
        request.setURI(root.substring(0, root.length() - 1) + requestTarget);
        if (!allowed) {
            abortCode = ConnectionFailure.ADDRESS_NOT_ALLOWED;
            reset();
            request.connection().close();
        }
    }

    /** Aborts the exchange when the request timeout expires. */
    synchronized void expire() {
        if (abortCode == null && !ended) {
            abortCode = ConnectionFailure.TIMEOUT;
            reset();
            if (result != null) {
                result.completeExceptionally(new TimeoutException());
            }
        }
    }

    /**
     * Ends the exchange. Its connection is closed if the rest of the response does not arrive within
     * {@link #REMAINDER_TIMEOUT_MILLIS}.
     *
     * @param read whether the response was read completely
     */
    synchronized void end(boolean read) {
        boolean alreadyEnded = ended;
        ended = true;
        if (request == null || alreadyEnded) {
            return;
        }
        var connection = (HttpClientConnection) request.connection();
        if (read || abortCode != null) {
            exchanges.remove(connection, this);
        } else {
            vertx.setTimer(REMAINDER_TIMEOUT_MILLIS, id -> closeUnlessFree(connection));
        }
    }

    /** The error code for a failed exchange. */
    synchronized String error(Throwable thrown) {
        if (abortCode != null) {
            return abortCode;
        }
        // The exception from Vert.x has more detail than the one that the REST client throws.
        return ConnectionFailure.code(failure == null ? thrown : failure, request != null);
    }

    private void closeUnlessFree(HttpClientConnection connection) {
        if (exchanges.remove(connection, this) && connection.activeStreams() > 0) {
            connection.close();
        }
    }

    private synchronized void fail(Throwable failure) {
        this.failure = failure;
    }

    private void reset() {
        if (request != null && exchanges.get(request.connection()) == this) {
            request.reset(NO_ERROR_CODE);
        }
    }

    /** Hides multipart content types, since the REST client would parse such a response in memory without a limit. */
    private static void hideMultipart(HttpClientResponse response) {
        var types = response.headers().getAll(HttpHeaders.CONTENT_TYPE);
        if (types.stream().anyMatch(type -> type.toLowerCase(Locale.ROOT).startsWith(MULTIPART_FORM))) {
            response.headers().remove(HttpHeaders.CONTENT_TYPE);
        }
    }
}
