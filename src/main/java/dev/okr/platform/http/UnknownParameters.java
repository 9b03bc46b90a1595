package dev.okr.platform.http;

import dev.okr.platform.errors.Failure;
import io.vertx.ext.web.RoutingContext;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.core.UriInfo;
import java.util.List;
import org.jboss.resteasy.reactive.server.ServerRequestFilter;
import org.jboss.resteasy.reactive.server.SimpleResourceInfo;

/**
 * Rejects query parameters on operations that have none. An operation with a parameter of type {@link UriInfo} checks
 * them itself, with {@link ListQuery}.
 */
public class UnknownParameters {
    @ServerRequestFilter
    public void refuse(ContainerRequestContext request, SimpleResourceInfo operation, RoutingContext context) {
        var parameters = request.getUriInfo().getQueryParameters();
        if (!parameters.isEmpty()
                && ApiPath.of(context).isPresent()
                && !List.of(operation.parameterTypes()).contains(UriInfo.class)) {
            throw Failure.malformed("This operation has no query parameter %s."
                    .formatted(Text.printable(parameters.keySet().iterator().next())));
        }
    }
}
