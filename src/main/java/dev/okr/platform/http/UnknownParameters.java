package dev.okr.platform.http;

import dev.okr.platform.errors.Failure;
import io.vertx.ext.web.RoutingContext;
import jakarta.ws.rs.container.ContainerRequestContext;
import org.jboss.resteasy.reactive.server.ServerRequestFilter;
import org.jboss.resteasy.reactive.server.SimpleResourceInfo;

/**
 * Refuses query parameters on operations that have none. Lists check their own parameters with {@link ListQuery}. Their
 * methods have names that start with {@code list}. ArchitectureTest checks these names.
 */
public class UnknownParameters {
    private static final String LISTS = "list";

    @ServerRequestFilter
    public void refuse(ContainerRequestContext request, SimpleResourceInfo operation, RoutingContext context) {
        var parameters = request.getUriInfo().getQueryParameters();
        if (!parameters.isEmpty()
                && ApiPath.of(context).isPresent()
                && !operation.getMethodName().startsWith(LISTS)) {
            throw Failure.malformed("This operation has no query parameter %s."
                    .formatted(Text.printable(parameters.keySet().iterator().next())));
        }
    }
}
