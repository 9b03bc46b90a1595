package dev.okr.platform.http;

import dev.okr.platform.errors.Failure;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.net.impl.ConnectionBase;
import io.vertx.ext.web.RoutingContext;
import jakarta.ws.rs.core.StreamingOutput;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import org.jboss.logging.Logger;

/**
 * Responses that are streamed at the speed of the client. A replica runs only a few at once, and only one per
 * organisation. A download that takes too long is cut off, even if its client reads nothing.
 */
public final class Downloads {
    private static final Logger LOG = Logger.getLogger(Downloads.class);
    private static final Duration RETRY_AFTER = Duration.ofSeconds(5);

    private final int maxAtOnce;
    private final Duration maxDuration;

    /** The organisations that have a download. */
    private final Set<UUID> running = new HashSet<>();

    private enum State {
        WAITING,
        WRITING,
        OVER
    }

    public Downloads(int maxAtOnce, Duration maxDuration) {
        this.maxAtOnce = maxAtOnce;
        this.maxDuration = maxDuration;
    }

    /** @throws Failure if too many downloads are running */
    public StreamingOutput start(UUID organization, RoutingContext request, StreamingOutput content) {
        // The body of a response to HEAD is never written, so the download would never end.
        if (request.request().method() == HttpMethod.HEAD) {
            return content;
        }
        begin(organization);
        var state = new AtomicReference<>(State.WAITING);
        Runnable end = () -> {
            if (state.getAndSet(State.OVER) != State.OVER) {
                end(organization);
            }
        };
        // Also ends a download that never wrote anything.
        long timer = request.vertx().setTimer(maxDuration.toMillis(), id -> {
            abort(request);
            end.run();
        });
        Runnable endUnlessWriting = () -> {
            if (state.compareAndSet(State.WAITING, State.OVER)) {
                request.vertx().cancelTimer(timer);
                end(organization);
            }
        };
        // The framework does not write to a client that has disconnected. The handler only sees a later disconnection.
        request.addEndHandler(ended -> endUnlessWriting.run());
        if (request.response().closed()) {
            endUnlessWriting.run();
        }
        return output -> {
            if (!state.compareAndSet(State.WAITING, State.WRITING)) {
                return;
            }
            try {
                write(content, output, request);
            } finally {
                request.vertx().cancelTimer(timer);
                end.run();
            }
        };
    }

    private static void write(StreamingOutput content, OutputStream output, RoutingContext request) {
        try {
            content.write(output);
        } catch (IOException e) {
            LOG.debugf(e, "The client did not take a download");
            abort(request);
        } catch (RuntimeException e) {
            abort(request);
            throw e;
        }
    }

    /**
     * Closes the connection, because the response has started. Because the end of the response is missing, the client
     * detects that the file is incomplete. The methods of Vert.x would wait until the client has read the written part.
     */
    private static void abort(RoutingContext request) {
        ((ConnectionBase) request.request().connection()).channel().close();
    }

    private void begin(UUID organization) {
        synchronized (running) {
            if (running.size() >= maxAtOnce || !running.add(organization)) {
                throw Failure.unavailable("Another export is running. Try again shortly.", RETRY_AFTER);
            }
        }
    }

    private void end(UUID organization) {
        synchronized (running) {
            running.remove(organization);
        }
    }
}
