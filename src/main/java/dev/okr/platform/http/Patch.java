package dev.okr.platform.http;

import jakarta.ws.rs.HttpMethod;
import jakarta.ws.rs.container.ContainerRequestContext;
import org.jboss.resteasy.reactive.server.ServerRequestFilter;

/**
 * Lets every resource that has a PUT serve PATCH in the same way. A PUT changes only the fields of its body, so it is a
 * merge patch (RFC 7396) already. {@link JsonBodyReader} accepts the media type of merge patches.
 */
public class Patch {
    @ServerRequestFilter(preMatching = true)
    public void serveAsPut(ContainerRequestContext request) {
        if (request.getMethod().equals(HttpMethod.PATCH)) {
            request.setMethod(HttpMethod.PUT);
        }
    }
}
