package dev.okr.limits;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
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

    /** HTTP/2 mixes requests, and has frames that belong to none. */
    private boolean multiplexed;

    private record Limits(Duration head, Duration body) {}

    private record Current(RoutingContext context, Consumer<RoutingContext> late) {
        boolean isWhole() {
            return context.request().isEnded();
        }

        boolean isOver() {
            return isWhole() && context.response().ended();
        }
    }

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
        var watch = ((ConnectionBase) request.connection()).channel().attr(KEY).get();
        if (request.version() == HttpVersion.HTTP_2) {
            if (watch != null) {
                watch.multiplexed = true;
            }
            if (!request.isEnded()) {
                context.vertx().setTimer(limits.body().toMillis(), timer -> {
                    if (!request.isEnded()) {
                        late.accept(context);
                    }
                });
            }
        } else if (watch != null) {
            watch.arriving = false;
            watch.current = new Current(context, late);
            watch.sinceNanos = System.nanoTime();
        }
    }

    @Override
    public void handlerAdded(ChannelHandlerContext connection) {
        connection.channel().attr(KEY).set(this);
    }

    @Override
    public void channelRead(ChannelHandlerContext connection, Object bytes) {
        if (!multiplexed) {
            if (current != null && current.isOver()) {
                current = null;
            }
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
        if (current != null && current.isOver()) {
            // A connection may be idle for long, and should not hold on to what is done.
            current = null;
        }
        if (multiplexed || connection.isRemoved() || (current == null && !arriving)) {
            return;
        }
        long limitNanos = (current == null ? limits.head() : limits.body()).toNanos();
        long leftNanos = limitNanos - (System.nanoTime() - sinceNanos);
        if (current != null && current.isWhole()) {
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
}
