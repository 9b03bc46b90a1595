package dev.okr.access.limits;

import io.netty.bootstrap.ChannelInitializerExtension;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpRequestDecoder;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.AttributeKey;
import io.quarkus.runtime.annotations.RegisterForReflection;
import io.vertx.core.Handler;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.impl.HttpServerConnection;
import io.vertx.core.net.impl.ConnectionBase;
import io.vertx.core.net.impl.VertxHandler;
import io.vertx.ext.web.RoutingContext;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Closes a connection if its client sends a request too slowly. The head and the body each have a time limit. The idle
 * timeout of the server is not sufficient, because it restarts with each byte. Each connection has one watch, which
 * runs only on the event loop of the connection. One timer covers all requests that arrive before it fires.
 *
 * <p>A watch is a Netty handler, because higher layers do not know a connection before its first request. It also
 * replaces the framework's response to requests that the decoder refuses.
 *
 * <p>The watch counts what the HTTP/1.1 decoder has received. The layers above only know what the service has read.
 */
public final class ClientWatch extends ChannelInboundHandlerAdapter {
    private static final AttributeKey<ClientWatch> KEY = AttributeKey.valueOf(ClientWatch.class, "watch");

    // Static, because Netty creates the watches and does not know the beans of the service.
    private static volatile Limits limits = new Limits(
            Duration.ofSeconds(10), Duration.ofSeconds(10), HttpServerRequest.DEFAULT_INVALID_REQUEST_HANDLER);

    /** The request whose head arrived last. Null after it has been received and answered. */
    private @Nullable Current current;

    /** Whether the connection has received a part of a head. */
    private boolean headArriving;

    private long sinceNanos;
    private boolean timerRunning;

    private long decodedHeads;
    private long decodedEnds;

    private @Nullable ChannelHandlerContext connection;

    /** HTTP/2 interleaves requests, so the watch only limits the time of the first head. */
    private boolean multiplexed;

    /** Whether the connection has our handler of invalid requests. */
    private boolean handlesInvalid;

    private record Limits(Duration head, Duration body, Handler<HttpServerRequest> invalid) {}

    /** @param number the number of the head on the connection, or a later one if the client uses pipelining */
    private record Current(RoutingContext context, Consumer<RoutingContext> late, long number) {}

    /**
     * Adds a watch to each connection that the server accepts. Netty finds this class through
     * {@code META-INF/services}.
     */
    @RegisterForReflection
    public static final class Installer extends ChannelInitializerExtension {
        private static final String NETTY_EXTENSIONS_PROPERTY = "io.netty.bootstrap.extensions";

        /** Must be called before the HTTP server starts. */
        public static void enable() {
            System.setProperty(NETTY_EXTENSIONS_PROPERTY, "serviceload");
        }

        @Override
        public void postInitializeServerChildChannel(Channel connection) {
            connection.pipeline().addFirst(new ClientWatch());
        }
    }

    /** @param invalid responds to a request that the HTTP decoder refuses */
    static void configure(Duration head, Duration body, Handler<HttpServerRequest> invalid) {
        limits = new Limits(head, body, invalid);
    }

    /**
     * Starts the time limit for the body of a request.
     *
     * @param late runs if the body does not arrive in time
     */
    static void begin(RoutingContext context, Consumer<RoutingContext> late) {
        var request = context.request();
        var channel = ((ConnectionBase) request.connection()).channel();
        var watch = channel.attr(KEY).get();
        if (watch == null) {
            return;
        }
        var decoder = channel.pipeline().context(HttpRequestDecoder.class);
        if (request.version() == HttpVersion.HTTP_2 || decoder == null) {
            watch.multiplexed = true;
        } else {
            watch.begin(decoder, context, late);
        }
    }

    private void begin(ChannelHandlerContext decoder, RoutingContext context, Consumer<RoutingContext> late) {
        headArriving = false;
        if (decodedHeads == 0) {
            // The decoder has passed on this head already. The new handler sees the rest of the request.
            decodedHeads = 1;
            decoder.pipeline().addAfter(decoder.name(), null, new DecodedCounter());
        }
        current = new Current(context, late, decodedHeads);
        sinceNanos = System.nanoTime();
        if (connection != null) {
            checkAfter(limits.body().toNanos(), connection);
        }
    }

    /** Counts the heads and ends of requests after the decoder. */
    private final class DecodedCounter extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext decoder, Object message) {
            if (message instanceof HttpRequest) {
                decodedHeads++;
            }
            if (message instanceof LastHttpContent) {
                decodedEnds++;
            }
            decoder.fireChannelRead(message);
        }
    }

    @Override
    public void handlerAdded(ChannelHandlerContext connection) {
        this.connection = connection;
        connection.channel().attr(KEY).set(this);
    }

    @Override
    public void channelRead(ChannelHandlerContext connection, Object bytes) {
        if (!handlesInvalid && httpConnection(connection) instanceof HttpServerConnection server) {
            handlesInvalid = true;
            server.invalidRequestHandler(limits.invalid());
        }
        if (!multiplexed) {
            clearCompletedRequest();
            if (current == null && !headArriving) {
                headArriving = true;
                sinceNanos = System.nanoTime();
                checkAfter(limits.head().toNanos(), connection);
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
        if (!timerRunning) {
            timerRunning = true;
            connection.executor().schedule(() -> check(connection), nanos, TimeUnit.NANOSECONDS);
        }
    }

    private void check(ChannelHandlerContext connection) {
        timerRunning = false;
        clearCompletedRequest();
        if (multiplexed || connection.isRemoved() || (current == null && !headArriving)) {
            return;
        }
        long limitNanos = (current == null ? limits.head() : limits.body()).toNanos();
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

    /** Whether the request was received, even if the service has not read it. */
    private boolean isReceived(Current request) {
        return request.context().request().isEnded() || decodedEnds >= request.number();
    }
}
