package dev.okr.platform.http;

import io.vertx.core.net.impl.ConnectionBase;
import io.vertx.ext.web.RoutingContext;

/** Closes the connections of clients. */
public final class Connections {
    private Connections() {}

    /**
     * Closes the connection of a request immediately, even if its response is incomplete. {@code HttpConnection.close}
     * and {@code Channel.close} would wait until the client has read the data that was already written.
     */
    public static void closeNow(RoutingContext request) {
        ((ConnectionBase) request.request().connection())
                .channelHandlerContext()
                .close();
    }
}
