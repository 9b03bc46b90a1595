package dev.okr.access.limits;

import io.netty.bootstrap.ChannelInitializerExtension;
import io.netty.channel.Channel;
import io.quarkus.runtime.annotations.RegisterForReflection;

/**
 * Gives each connection that the server accepts its watch. Netty finds this class by its name in
 * {@code META-INF/services}, and looks there because {@link #SWITCH} says so: of a connection whose first request never
 * comes, the layers above it know nothing.
 */
@RegisterForReflection
public final class ClientWatches extends ChannelInitializerExtension {
    /** The system property that has Netty look for extensions. */
    private static final String SWITCH = "io.netty.bootstrap.extensions";

    /** Before anything is served. */
    public static void enable() {
        System.setProperty(SWITCH, "serviceload");
    }

    @Override
    public void postInitializeServerChildChannel(Channel connection) {
        connection.pipeline().addFirst(new ClientWatch());
    }
}
