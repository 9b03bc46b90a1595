package dev.okr.webhooks;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ChannelInitializerExtension;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.DefaultEventLoop;
import io.netty.channel.local.LocalChannel;
import io.quarkus.runtime.annotations.RegisterForReflection;
import io.vertx.core.http.HttpClientOptions;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.SocketException;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * Refuses the connection of a delivery to a forbidden address before it is opened. It judges the address that Vert.x
 * connects to, after the last lookup of the name. So whether a port is open does not change the outcome. Netty finds
 * this class through {@code META-INF/services}.
 */
@RegisterForReflection
public final class TargetConnections extends ChannelInitializerExtension {
    /**
     * Marks the connections of deliveries. No interface has this address, which is for documentation. It is removed
     * before the connection is opened.
     */
    static final String MARK = "192.0.2.1";

    // Static, because Netty creates the extension and does not know the beans of the service.
    private static volatile Predicate<InetAddress> allowed = address -> false;

    /**
     * Whether Netty has called this extension. It does not in dev mode, which loads Netty too early. Then only
     * {@link WebhookSender} checks the open connection.
     */
    private static volatile boolean isInstalled;

    /** A connection that was not opened. */
    static final class Refused extends SocketException {
        private static final long serialVersionUID = 1L;

        Refused() {
            super("The address of the target is not allowed.");
        }
    }

    /** Checks the connections of a client that connects to targets itself and not through a proxy. */
    static void check(HttpClientOptions client, Predicate<InetAddress> isAllowed) {
        allow(isAllowed);
        openAndClose();
        if (isInstalled) {
            client.setLocalAddress(MARK);
        }
    }

    static void allow(Predicate<InetAddress> isAllowed) {
        allowed = isAllowed;
    }

    /** Without a network. Netty then calls its extensions. */
    private static void openAndClose() {
        var loop = new DefaultEventLoop();
        var unused = new Bootstrap()
                .group(loop)
                .channel(LocalChannel.class)
                .handler(new ChannelInboundHandlerAdapter())
                .register()
                .syncUninterruptibly()
                .channel()
                .close();
        loop.shutdownGracefully(0, 0, TimeUnit.SECONDS);
    }

    @Override
    public void postInitializeClientChannel(Channel connection) {
        isInstalled = true;
        connection.pipeline().addFirst(new Check());
    }

    static final class Check extends ChannelOutboundHandlerAdapter {
        @Override
        public void connect(
                ChannelHandlerContext connection, SocketAddress remote, SocketAddress local, ChannelPromise promise) {
            boolean isDelivery = local instanceof InetSocketAddress mark
                    && mark.getAddress() != null
                    && mark.getAddress().getHostAddress().equals(MARK);
            if (!isDelivery) {
                connection.connect(remote, local, promise);
            } else if (remote instanceof InetSocketAddress target
                    && target.getAddress() != null
                    && allowed.test(target.getAddress())) {
                connection.connect(remote, promise);
            } else {
                promise.setFailure(new Refused());
            }
        }
    }
}
