package dev.okr.platform.http;

import dev.okr.platform.errors.Failure;
import io.vertx.ext.web.RoutingContext;
import jakarta.ws.rs.container.ContainerRequestContext;
import org.jboss.resteasy.reactive.server.ServerRequestFilter;
import org.jboss.resteasy.reactive.server.SimpleResourceInfo;

/**
 * Refuses query parameters on operations of the API that have none. Lists have some and check them with {@link ListQuery};
 * they are the methods whose name begins with {@code list}, which a test holds them to.
 */
public class UnknownParameters {
    private static final String LISTS = "list";

    @ServerRequestFilter
    public void refuse(ContainerRequestContext request, SimpleResourceInfo operation, RoutingContext context) {
        var parameters = request.getUriInfo().getQueryParameters();
        if (!parameters.isEmpty()
                && ApiPath.of(context).isPresent()
                && !operation.getMethodName().startsWith(LISTS)) {
            throw Failure.malformed("This operation knows no query parameter %s."
                    .formatted(Text.printable(parameters.keySet().iterator().next())));
        }
    }
}
