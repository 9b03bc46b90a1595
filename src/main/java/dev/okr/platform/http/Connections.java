package dev.okr.platform.http;

import io.vertx.core.net.impl.ConnectionBase;
import io.vertx.ext.web.RoutingContext;

/** The connections of clients. */
public final class Connections {
    private Connections() {}

    /**
     * Closes the connection of a request without the rest of its response. {@code HttpConnection.close} and
     * {@code Channel.close} would wait until the client has read what is written.
     */
    public static void closeNow(RoutingContext request) {
        ((ConnectionBase) request.request().connection())
                .channelHandlerContext()
                .close();
    }
}
