package dev.okr.webhooks;

import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.http.impl.HttpClientConnection;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** One HTTP request in flight, with its response. Tracks whether and why it was aborted. */
final class Exchange {
    private static final long NO_ERROR_CODE = 0;

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

    private final CompletableFuture<Received> result = new CompletableFuture<>();
    private final ResponseBody body = new ResponseBody();

    private @Nullable HttpClientRequest request;
    private @Nullable HttpClientResponse response;

    /** The error code if this side aborted the exchange. Otherwise null. */
    private @Nullable String abortCode;

    private boolean ended;

    Exchange(Vertx vertx, ConcurrentMap<HttpConnection, Exchange> exchanges) {
        this.vertx = vertx;
        this.exchanges = exchanges;
    }

    /**
     * A response, and the start of its body.
     *
     * @param failure the failure while the body was read; null if there was none
     */
    record Received(
            HttpClientResponse response,
            @Nullable String excerpt,
            @Nullable Throwable failure) {}

    /** Sends a request. Completes when enough of the response has arrived, or with the reason why it has not. */
    CompletableFuture<Received> send(HttpClient client, RequestOptions options, byte[] content) {
        // Vert.x repeats its search for a pool until another thread has removed a disposed one. On virtual threads, the
        // loops could occupy all carrier threads. Then the other thread would never run.
        vertx.getOrCreateContext().runOnContext(onEventLoop -> connect(client, options, content));
        return result;
    }

    private void connect(HttpClient client, RequestOptions options, byte[] content) {
        if (isOver()) {
            return;
        }
        try {
            client.request(options).onSuccess(opened -> start(opened, content)).onFailure(this::fail);
        } catch (RuntimeException e) {
            fail(e);
        }
    }

    private synchronized boolean isOver() {
        return abortCode != null || ended;
    }

    private synchronized void start(HttpClientRequest opened, byte[] content) {
        // Without these handlers Vert.x logs the failures, with texts that the subscriber can choose.
        opened.exceptionHandler(failure -> {});
        opened.connection().exceptionHandler(failure -> {});
        var channel = ((HttpClientConnection) opened.connection()).channel();
        channel.eventLoop().execute(() -> {
            ReadLimit.restart(channel);
            TlsLimits.restart(channel);
            InterimResponses.restart(channel);
        });
        if (isOver()) {
            opened.reset(NO_ERROR_CODE);
            return;
        }
        request = opened;
        exchanges.put(opened.connection(), this);
        opened.response().onSuccess(this::read).onFailure(this::fail);
        opened.send(Buffer.buffer(content));
    }

    /** The response is paused when enough has arrived, so the rest is not read. */
    private synchronized void read(HttpClientResponse arrived) {
        response = arrived;
        arrived.exceptionHandler(this::fail);
        // Vert.x frees the connection right after this handler. So the next request can use it.
        var context = vertx.getOrCreateContext();
        arrived.endHandler(end -> context.runOnContext(freed -> finish(true, null)));
        arrived.handler(part -> {
            if (isFull(part)) {
                arrived.pause();
                finish(false, null);
            }
        });
    }

    private synchronized boolean isFull(Buffer part) {
        return body.add(part);
    }

    private synchronized void fail(Throwable failure) {
        finish(false, failure);
    }

    private synchronized void finish(boolean isComplete, @Nullable Throwable failure) {
        if (response == null) {
            result.completeExceptionally(failure == null ? new TimeoutException() : failure);
        } else if (result.complete(new Received(response, body.excerpt(), failure))) {
            end(isComplete);
        }
    }

    /** Aborts the exchange when the request timeout expires. */
    synchronized void expire() {
        if (abortCode == null && !ended) {
            abortCode = ConnectionFailure.TIMEOUT;
            reset();
            finish(false, new TimeoutException());
        }
    }

    /** Ends the exchange before it has a response. */
    synchronized void end() {
        end(false);
    }

    /**
     * Ends the exchange. Its connection is closed if the rest of the response does not arrive within
     * {@link #REMAINDER_TIMEOUT_MILLIS}.
     *
     * @param isComplete whether the response was read completely
     */
    private void end(boolean isComplete) {
        boolean alreadyEnded = ended;
        ended = true;
        if (request == null || alreadyEnded) {
            return;
        }
        var connection = (HttpClientConnection) request.connection();
        if (isComplete || abortCode != null) {
            exchanges.remove(connection, this);
        } else {
            vertx.setTimer(REMAINDER_TIMEOUT_MILLIS, id -> closeUnlessFree(connection));
        }
    }

    /** The error code for a failed exchange. */
    synchronized String error(Throwable failure) {
        return abortCode != null ? abortCode : ConnectionFailure.code(failure, request != null);
    }

    private void closeUnlessFree(HttpClientConnection connection) {
        if (exchanges.remove(connection, this) && connection.activeStreams() > 0) {
            connection.close();
        }
    }

    private void reset() {
        if (request != null && exchanges.get(request.connection()) == this) {
            request.reset(NO_ERROR_CODE);
        }
    }
}
