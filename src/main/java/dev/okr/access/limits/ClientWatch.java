package dev.okr.access.limits;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpRequestDecoder;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.AttributeKey;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.net.impl.ConnectionBase;
import io.vertx.ext.web.RoutingContext;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Ends a connection whose client sends a request too slowly: from the first byte on, the head may take so long, and from
 * the head on, the body. The server's idle time-out begins anew with each byte, and a client can send one now and then.
 * Each connection has its watch, used on its event loop alone. A timer is not for a request, but for all that come
 * before it ends.
 *
 * <p>It counts what the decoder of HTTP/1.1 says has arrived: whether a request has ended for the layers above says more of
 * whether they have read it.
 */
final class ClientWatch extends ChannelInboundHandlerAdapter {
    private static final AttributeKey<ClientWatch> KEY = AttributeKey.valueOf(ClientWatch.class, "watch");

    // Connections are made by Netty, which knows nothing of the service's beans.
    private static volatile Limits limits = new Limits(Duration.ofSeconds(10), Duration.ofSeconds(10));

    /** The request whose head came last, until it is answered and nothing more of it can come. */
    private @Nullable Current current;

    /** Whether bytes have come of a request whose head is not there yet. */
    private boolean arriving;

    private long sinceNanos;
    private boolean timed;

    /** What the decoder has seen since the first request: how many heads, and how many last bytes of a request. */
    private long heads;

    private long ends;

    private @Nullable ChannelHandlerContext connection;

    /** HTTP/2 mixes requests, and has frames that belong to none: only how its first head comes is watched. */
    private boolean multiplexed;

    private record Limits(Duration head, Duration body) {}

    /** @param number which of the heads is its own, or a later one if the client sends ahead */
    private record Current(RoutingContext context, Consumer<RoutingContext> late, long number) {}

    static void configure(Duration head, Duration body) {
        limits = new Limits(head, body);
    }

    /**
     * Tells that the head of a request has arrived.
     *
     * @param late what to do when the body does not
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
        arriving = false;
        if (heads == 0) {
            // This head has passed; what the decoder has still to say of the request comes by here, too.
            heads = 1;
            decoder.pipeline().addAfter(decoder.name(), null, new Decoded());
        }
        current = new Current(context, late, heads);
        sinceNanos = System.nanoTime();
        if (connection != null) {
            lookIn(limits.body().toNanos(), connection);
        }
    }

    /** Stands behind the decoder and counts, also what the layers above answer without anybody being told. */
    private final class Decoded extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext decoder, Object message) {
            if (message instanceof HttpRequest) {
                heads++;
            }
            if (message instanceof LastHttpContent) {
                ends++;
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
        if (!multiplexed) {
            forgetWhatIsOver();
            if (current == null && !arriving) {
                arriving = true;
                sinceNanos = System.nanoTime();
                lookIn(limits.head().toNanos(), connection);
            }
        }
        connection.fireChannelRead(bytes);
    }

    private void lookIn(long nanos, ChannelHandlerContext connection) {
        if (!timed) {
            timed = true;
            connection.executor().schedule(() -> look(connection), nanos, TimeUnit.NANOSECONDS);
        }
    }

    private void look(ChannelHandlerContext connection) {
        timed = false;
        // A connection may be idle for long, and should not hold on to what is done.
        forgetWhatIsOver();
        if (multiplexed || connection.isRemoved() || (current == null && !arriving)) {
            return;
        }
        long limitNanos = (current == null ? limits.head() : limits.body()).toNanos();
        long leftNanos = limitNanos - (System.nanoTime() - sinceNanos);
        if (current != null && isWhole(current)) {
            // The answer is not the client's to give.
            lookIn(limitNanos, connection);
        } else if (leftNanos > 0) {
            lookIn(leftNanos, connection);
        } else if (current == null) {
            connection.close();
        } else {
            current.late().accept(current.context());
        }
    }

    private void forgetWhatIsOver() {
        if (current != null && isWhole(current) && current.context().response().ended()) {
            current = null;
        }
    }

    /** Whether all of it has come, read or not. */
    private boolean isWhole(Current request) {
        return request.context().request().isEnded() || ends >= request.number();
    }
}
