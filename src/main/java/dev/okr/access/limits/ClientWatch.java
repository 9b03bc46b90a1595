package dev.okr.access.limits;

import io.netty.bootstrap.ChannelInitializerExtension;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.ServerChannel;
import io.netty.util.AttributeKey;
import io.quarkus.runtime.annotations.RegisterForReflection;
import io.vertx.core.Handler;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.impl.HttpServerConnection;
import io.vertx.core.net.impl.ConnectionBase;
import io.vertx.core.net.impl.VertxHandler;
import io.vertx.ext.web.RoutingContext;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Closes a connection if its client sends a request too slowly, or nothing at all. The head and the body each have a
 * time limit. The idle timeout of the server is not sufficient, because it restarts with each byte. Each connection has
 * one watch, which runs only on the event loop of the connection. One timer covers all requests that arrive before it
 * fires.
 *
 * <p>A watch is a Netty handler, because higher layers do not know a connection before its first request. It also
 * replaces the framework's response to requests that the decoder refuses.
 *
 * <p>The watch uses the counts of {@link Pipelining}, which are what the decoder has received. The layers above only
 * know what the service has read.
 */
public final class ClientWatch extends ChannelInboundHandlerAdapter {
    private static final Duration MAX_STREAMING = Duration.ofMinutes(15);
    private static final int MIN_STREAMED_BYTES_PER_SECOND = 32 * 1_024;

    /** A streamed body arrives in parts of at most this size. The time for the next one is added in advance. */
    private static final int MAX_STREAMED_PART_BYTES = 256 * 1_024;

    private static final AttributeKey<ClientWatch> KEY = AttributeKey.valueOf(ClientWatch.class, "watch");

    // Static, because Netty creates the watches and does not know the beans of the service.
    private static volatile Limits limits = new Limits(
            Duration.ofSeconds(10),
            Duration.ofSeconds(10),
            Duration.ofSeconds(10),
            HttpServerRequest.DEFAULT_INVALID_REQUEST_HANDLER,
            new ConnectionLimit(0, Integer.MAX_VALUE, List.of()));

    /** The request whose head arrived last. Null after it has been received and answered. */
    private @Nullable Current current;

    /**
     * Whether the connection waits for its first head or for the rest of a skipped body, or has received a part of
     * another head.
     */
    private boolean isArriving;

    /** Whether the rest of a body is skipped. */
    private boolean isSkipping;

    private int runningRequests;

    private long sinceNanos;
    private @Nullable Future<?> timer;

    private @Nullable ChannelHandlerContext connection;
    private @Nullable Pipelining pipelining;

    /** HTTP/2 interleaves requests, so the watch only limits the time of the first head. */
    private boolean multiplexed;

    /** Whether the connection has our handler of invalid requests. */
    private boolean handlesInvalid;

    private record Limits(
            Duration head,
            Duration body,
            Duration write,
            Handler<HttpServerRequest> invalid,
            ConnectionLimit connections) {}

    /** @param number the number of the head on the connection, or a later one if the client uses pipelining */
    private record Current(RoutingContext context, Consumer<RoutingContext> late, long number, long limitNanos) {
        Current within(Duration limit) {
            return new Current(context, late, number, limit.toNanos());
        }
    }

    /**
     * Adds {@link Admission} to the server, and a watch to each connection that it accepts. Netty finds this class
     * through {@code META-INF/services}.
     */
    @RegisterForReflection
    public static final class Installer extends ChannelInitializerExtension {
        private static final String NETTY_EXTENSIONS_PROPERTY = "io.netty.bootstrap.extensions";
        private static final String REJECT_RENEGOTIATION_PROPERTY = "jdk.tls.rejectClientInitiatedRenegotiation";
        private static final int MIN_READ_BYTES = 64;
        private static final int INITIAL_READ_BYTES = 2_048;
        private static final int MAX_READ_BYTES = 4_096;

        /** Linux would let the buffer grow to 4 MiB. A client that does not read would get that much work done. */
        private static final int SEND_BUFFER_BYTES = 128 * 1_024;

        /** Must be called before the HTTP server starts. */
        public static void enable() {
            System.setProperty(NETTY_EXTENSIONS_PROPERTY, "serviceload");
            // A client could make one connection negotiate hundreds of times a second.
            System.setProperty(REJECT_RENEGOTIATION_PROPERTY, "true");
        }

        @Override
        public void postInitializeServerListenerChannel(ServerChannel server) {
            server.pipeline().addFirst(new Admission());
        }

        @Override
        public void postInitializeServerChildChannel(Channel connection) {
            // Bounds what a connection reads ahead while its request runs.
            var config = connection.config();
            config.setRecvByteBufAllocator(
                    new AdaptiveRecvByteBufAllocator(MIN_READ_BYTES, INITIAL_READ_BYTES, MAX_READ_BYTES));
            config.setOption(ChannelOption.SO_SNDBUF, SEND_BUFFER_BYTES);
            connection.pipeline().addFirst(new ClientWatch());
        }
    }

    /**
     * Closes the connections that {@link ConnectionLimit} does not admit. It runs on the thread that accepts
     * connections. So these connections take no time from the event loops, which serve all other clients.
     */
    private static final class Admission extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext server, Object accepted) {
            var connection = (Channel) accepted;
            if (limits.connections().admit(connection)) {
                server.fireChannelRead(connection);
            } else {
                connection.unsafe().closeForcibly();
            }
        }
    }

    /** @param invalid responds to a request that the HTTP decoder refuses */
    static void configure(LimitSettings settings, ConnectionLimit connections, Handler<HttpServerRequest> invalid) {
        limits = new Limits(settings.head, settings.deadline, settings.write, invalid, connections);
    }

    /**
     * Counts a request as running, and starts the time limit for its body.
     *
     * @param late runs if the body does not arrive in time
     */
    static void begin(RoutingContext context, Consumer<RoutingContext> late) {
        var channel = ((ConnectionBase) context.request().connection()).channel();
        var watch = channel.attr(KEY).get();
        if (watch != null) {
            var requests = Pipelining.install(channel, limits.connections(), limits.write());
            watch.count(channel, context);
            watch.multiplexed = requests == null;
            if (requests != null) {
                watch.use(requests);
                watch.begin(requests, context, late);
            }
        }
    }

    private void count(Channel channel, RoutingContext context) {
        if (runningRequests++ == 0) {
            limits.connections().markBusy(channel);
        }
        whenAnswered(context, isTaken -> {
            if (--runningRequests == 0) {
                limits.connections().markIdle(channel);
            }
        });
    }

    private void use(Pipelining requests) {
        if (pipelining == null) {
            pipelining = requests;
            // A request can be large, so it must not stay in memory while the client reads the response.
            requests.whenEnded(() -> end(requests));
        }
    }

    private void begin(Pipelining requests, RoutingContext context, Consumer<RoutingContext> late) {
        isArriving = false;
        requests.ensureFirstHead();
        current = new Current(context, late, requests.heads(), limits.body().toNanos());
        sinceNanos = System.nanoTime();
        if (connection != null) {
            checkAfter(limits.body().toNanos(), connection);
        }
    }

    /**
     * Extends the deadline of a large body in proportion to the bytes that have arrived.
     *
     * @param bytes the number of bytes that have arrived
     */
    static void allowStreaming(RoutingContext context, long bytes) {
        var slowest = limits.body().plusSeconds((bytes + MAX_STREAMED_PART_BYTES) / MIN_STREAMED_BYTES_PER_SECOND);
        var limit = slowest.compareTo(MAX_STREAMING) < 0 ? slowest : MAX_STREAMING;
        var channel = ((ConnectionBase) context.request().connection()).channel();
        channel.eventLoop().execute(() -> {
            var watch = channel.attr(KEY).get();
            if (watch != null && watch.current != null && watch.current.context() == context) {
                watch.current = watch.current.within(limit);
            }
        });
    }

    /** Runs the action after the client has taken the response (true), or has disconnected (false). */
    static void whenAnswered(RoutingContext context, Consumer<Boolean> action) {
        var requests = Pipelining.of(((ConnectionBase) context.request().connection()).channel());
        if (requests == null) {
            context.addEndHandler(ended -> action.accept(ended.succeeded()));
        } else {
            requests.whenAnswered(action);
        }
    }

    @Override
    public void handlerAdded(ChannelHandlerContext connection) {
        this.connection = connection;
        connection.channel().attr(KEY).set(this);
    }

    @Override
    public void channelActive(ChannelHandlerContext connection) {
        awaitPart(connection);
        connection.fireChannelActive();
    }

    private void awaitPart(ChannelHandlerContext connection) {
        isArriving = true;
        sinceNanos = System.nanoTime();
        checkAfter(limits.head().toNanos(), connection);
    }

    @Override
    public void channelRead(ChannelHandlerContext connection, Object bytes) {
        if (!handlesInvalid && httpConnection(connection) instanceof HttpServerConnection server) {
            handlesInvalid = true;
            server.invalidRequestHandler(limits.invalid());
            var requests = Pipelining.install(connection.channel(), limits.connections(), limits.write());
            if (requests != null) {
                use(requests);
            }
        }
        if (!multiplexed) {
            clearCompletedRequest();
            if (current == null && !isArriving) {
                awaitPart(connection);
            }
        }
        connection.fireChannelRead(bytes);
    }

    /** Null until the framework has added its handler, which is after the handshake of TLS. */
    private static @Nullable ConnectionBase httpConnection(ChannelHandlerContext connection) {
        var handler = connection.pipeline().get(VertxHandler.class);
        return handler == null ? null : handler.getConnection();
    }

    private void checkAfter(long nanos, ChannelHandlerContext connection) {
        if (timer == null && !connection.isRemoved()) {
            timer = connection.executor().schedule(() -> check(connection), nanos, TimeUnit.NANOSECONDS);
        }
    }

    /** The event loop would keep the timer, and so the closed connection and its request, until the timer fires. */
    @Override
    public void handlerRemoved(ChannelHandlerContext connection) {
        cancelTimer();
    }

    private void check(ChannelHandlerContext connection) {
        timer = null;
        clearCompletedRequest();
        if (multiplexed || connection.isRemoved() || (current == null && !isArriving)) {
            return;
        }
        long limitNanos = current == null ? limits.head().toNanos() : current.limitNanos();
        long leftNanos = limitNanos - (System.nanoTime() - sinceNanos);
        if (current != null && isReceived(current)) {
            // The request is complete, so only the service is slow now. The timer stays for the next request.
            checkAfter(limitNanos, connection);
        } else if (leftNanos > 0) {
            checkAfter(leftNanos, connection);
        } else if (current == null) {
            connection.close();
        } else {
            current.late().accept(current.context());
        }
    }

    private void clearCompletedRequest() {
        if (current != null
                && isReceived(current)
                && current.context().response().ended()) {
            current = null;
        }
    }

    /** Call this when a request or its response has ended. */
    private void end(Pipelining requests) {
        clearCompletedRequest();
        if (isSkipping != requests.isSkipping() && connection != null) {
            isSkipping = requests.isSkipping();
            isArriving = false;
            if (isSkipping) {
                // The timer can be one of a long upload.
                cancelTimer();
                awaitPart(connection);
            }
        }
    }

    private void cancelTimer() {
        if (timer != null) {
            timer.cancel(false);
            timer = null;
        }
    }

    /** Whether the request was received, even if the service has not read it. */
    private boolean isReceived(Current request) {
        return (pipelining != null && (pipelining.isSkipping() || pipelining.ends() >= request.number()))
                || request.context().request().isEnded();
    }
}
