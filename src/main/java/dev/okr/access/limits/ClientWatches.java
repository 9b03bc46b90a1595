package dev.okr.access.limits;

import io.netty.bootstrap.ChannelInitializerExtension;
import io.netty.channel.Channel;
import io.quarkus.runtime.annotations.RegisterForReflection;

/**
 * Adds a watch to each connection that the server accepts. It is a Netty extension, because higher layers do not know a
 * connection before its first request. Netty finds this class through {@code META-INF/services}.
 */
@RegisterForReflection
public final class ClientWatches extends ChannelInitializerExtension {
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
