package dev.okr.platform.http;

import io.vertx.ext.web.RoutingContext;
import org.jboss.resteasy.reactive.server.ServerRequestFilter;

/**
 * Removes the close handler with which Quarkus skips the rest of a request after its client has disconnected. The
 * handler changes the state of the request while another thread runs it. If the request fails at that moment, it runs in
 * an endless loop (Quarkus issue 55116). Without the handler, the request still ends early, because its deadline
 * passes when the client disconnects. Remove this class when the platform has a Quarkus version that fixes the issue.
 */
public class Disconnects {
    private static final int BEFORE_EVERYTHING = 0;

    @ServerRequestFilter(priority = BEFORE_EVERYTHING)
    public void removeHandler(RoutingContext context) {
        context.response().closeHandler(null);
    }
}
