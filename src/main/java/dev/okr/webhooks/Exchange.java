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

/** A request under way and its response: what can end them from outside, and why they ended. */
final class Exchange {
    private static final long NO_ERROR_CODE = 0;
    private static final String MULTIPART_FORM = "multipart/form-data";

    /**
     * How long the rest of a response may take to arrive before its connection is closed. It is the time that the next
     * user of the connection needs to be known.
     */
    private static final long REST_MILLIS = 100;

    private final Vertx vertx;

    /**
     * Who uses which connection. Vert.x gives a connection to the next request as soon as a response has arrived,
     * even if nobody has read it yet; resetting the old request would then end the next one.
     */
    private final ConcurrentMap<HttpConnection, Exchange> users;

    private final String requestTarget;

    private @Nullable CompletableFuture<?> result;
    private @Nullable HttpClientRequest request;
    private @Nullable Throwable failure;

    /** The code for why it was ended from this side; null as long as it was not. */
    private @Nullable String reason;

    private boolean over;

    Exchange(Vertx vertx, ConcurrentMap<HttpConnection, Exchange> users, String requestTarget) {
        this.vertx = vertx;
        this.requestTarget = requestTarget;
        this.users = users;
    }

    /** @param result what the sender waits for */
    synchronized void await(CompletableFuture<?> result) {
        this.result = result;
        if (reason != null) {
            result.completeExceptionally(new TimeoutException());
        }
    }

    /**
     * Takes the request over when there is a connection for it and nothing of it is written yet.
     *
     * @param allowed whether it may be written to this connection
     */
    synchronized void begin(HttpClientRequest request, boolean allowed) {
        if (reason != null || over) {
            request.reset(NO_ERROR_CODE);
            return;
        }
        this.request = request;
        users.put(request.connection(), this);
        request.response().onSuccess(Exchange::withoutMultipart).onFailure(this::fail);
        // The REST client asked for the root of the server: what it rewrites on the way stays as it was checked.
        var root = request.getURI();
        request.setURI(root.substring(0, root.length() - 1) + requestTarget);
        if (!allowed) {
            reason = ConnectionFailure.ADDRESS_NOT_ALLOWED;
            reset();
            request.connection().close();
        }
    }

    /** Ends whatever is going on, because there was time enough. */
    synchronized void expire() {
        if (reason == null && !over) {
            reason = ConnectionFailure.TIMEOUT;
            reset();
            if (result != null) {
                result.completeExceptionally(new TimeoutException());
            }
        }
    }

    /**
     * Leaves the connection to others if the response has arrived to its end, read or not; closes it if there is more
     * to come.
     *
     * @param read whether it was read to its end
     */
    synchronized void end(boolean read) {
        boolean again = over;
        over = true;
        if (request == null || again) {
            return;
        }
        var connection = (HttpClientConnection) request.connection();
        if (read || reason != null) {
            users.remove(connection, this);
        } else {
            vertx.setTimer(REST_MILLIS, id -> closeUnlessFree(connection));
        }
    }

    /** The code for what went wrong. */
    synchronized String error(Throwable thrown) {
        if (reason != null) {
            return reason;
        }
        // The REST client tells less than it was told itself.
        return ConnectionFailure.code(failure == null ? thrown : failure, request != null);
    }

    private void closeUnlessFree(HttpClientConnection connection) {
        if (users.remove(connection, this) && connection.activeStreams() > 0) {
            connection.close();
        }
    }

    private synchronized void fail(Throwable failure) {
        this.failure = failure;
    }

    private void reset() {
        if (request != null && users.get(request.connection()) == this) {
            request.reset(NO_ERROR_CODE);
        }
    }

    /** Such a response would be taken apart in memory by the REST client, without a limit. */
    private static void withoutMultipart(HttpClientResponse response) {
        var types = response.headers().getAll(HttpHeaders.CONTENT_TYPE);
        if (types.stream().anyMatch(type -> type.toLowerCase(Locale.ROOT).startsWith(MULTIPART_FORM))) {
            response.headers().remove(HttpHeaders.CONTENT_TYPE);
        }
    }
}
