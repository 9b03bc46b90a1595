package dev.okr.http;

import dev.okr.errors.Failure;
import jakarta.ws.rs.container.ContainerRequestContext;
import org.jboss.resteasy.reactive.server.ServerRequestFilter;
import org.jboss.resteasy.reactive.server.SimpleResourceInfo;

/**
 * Refuses query parameters on operations that have none. Lists have some and check them with {@link ListQuery};
 * they are the methods whose name begins with {@code list}, which a test holds them to.
 */
public class UnknownParameters {
    private static final String LISTS = "list";

    @ServerRequestFilter
    public void refuse(ContainerRequestContext request, SimpleResourceInfo operation) {
        var parameters = request.getUriInfo().getQueryParameters();
        if (!parameters.isEmpty() && !operation.getMethodName().startsWith(LISTS)) {
            throw Failure.malformed("This operation knows no query parameter %s."
                    .formatted(Text.printable(parameters.keySet().iterator().next())));
        }
    }
}
