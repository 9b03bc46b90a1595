package dev.okr.access;

import dev.okr.access.limits.LargeRequests;
import dev.okr.access.limits.RequestGate;
import dev.okr.organizations.tenant.CurrentTenant;
import dev.okr.platform.errors.ErrorCode;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.http.ApiPath;
import dev.okr.platform.http.Caller;
import dev.okr.platform.http.ListQuery;
import io.vertx.ext.web.RoutingContext;
import jakarta.annotation.Priority;
import jakarta.ws.rs.Priorities;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.container.ContainerRequestFilter;
import jakarta.ws.rs.container.PreMatching;
import jakarta.ws.rs.ext.Provider;
import java.util.concurrent.CompletionException;
import org.jboss.resteasy.reactive.server.core.ResteasyReactiveRequestContext;
import org.jboss.resteasy.reactive.server.spi.ResteasyReactiveContainerRequestContext;

/**
 * Checks the API key of every request under {@code /v1}. Then it checks the plan, the rate limit, the scope and the
 * role. The filter runs on an event loop. If a key is not in the cache, the request is suspended until another thread
 * has loaded the key.
 */
@Provider
@PreMatching
public class ApiKeyFilter implements ContainerRequestFilter {
    private final ApiKeyCheck check;
    private final RequestGate gate;

    ApiKeyFilter(ApiKeyCheck check, RequestGate gate) {
        this.check = check;
        this.gate = gate;
    }

    @Override
    public void filter(ContainerRequestContext request) {
        var serverRequest = serverRequest(request);
        var context = serverRequest.unwrap(RoutingContext.class);
        var apiPath = ApiPath.of(context);
        if (apiPath.isEmpty()) {
            return;
        }
        var path = apiPath.get();
        var token = check.requireToken(context);
        serverRequest.registerCompletionCallback(gate.beginWork(context));
        // This may run on the thread of another request, so it must not use request-scoped beans.
        var admission = check.admit(context, token, key -> authorize(request.getMethod(), path, key));
        if (admission.isDone() && !admission.isCompletedExceptionally()) {
            return;
        }
        var suspended = (ResteasyReactiveContainerRequestContext) request;
        suspended.suspend();
        admission.whenComplete((admitted, failure) -> {
            if (failure == null) {
                suspended.resume();
            } else {
                suspended.resume(failure instanceof CompletionException wrapped ? wrapped.getCause() : failure);
            }
        });
    }

    /** Uses no request-scoped bean, because its lookup takes longer. */
    private static ResteasyReactiveRequestContext serverRequest(ContainerRequestContext request) {
        return (ResteasyReactiveRequestContext)
                ((ResteasyReactiveContainerRequestContext) request).getServerRequestContext();
    }

    private static void authorize(String method, String path, ApiKeyCache.Key key) {
        Permission.required(method, path).refusal(key).ifPresent(refusal -> {
            throw refusal;
        });
    }

    /**
     * Waits until an admitted request may use the database, and may parse its body. Sets its caller and organisation.
     * This is a separate filter, because it runs on the virtual thread of the request.
     */
    @Provider
    @Priority(Priorities.AUTHENTICATION)
    public static class Binding implements ContainerRequestFilter {
        private final Caller caller;
        private final CurrentTenant tenant;
        private final ApiKeyCheck check;
        private final LargeRequests large;

        Binding(Caller caller, CurrentTenant tenant, ApiKeyCheck check, LargeRequests large) {
            this.caller = caller;
            this.tenant = tenant;
            this.check = check;
            this.large = large;
        }

        @Override
        public void filter(ContainerRequestContext request) {
            var context = serverRequest(request).unwrap(RoutingContext.class);
            if (ApiKeyCheck.authenticated(context).isPresent()) {
                var perPage = context.request().getParam(ListQuery.PER_PAGE);
                boolean isChange = RequestGate.isChange(context);
                check.begin(context, caller, tenant, isChange, perPage);
                if (isChange) {
                    large.awaitForBody();
                }
            } else if (request.getUriInfo().getPath().startsWith("/v1")) {
                // An operation under /v1 never runs without a caller, even if a request bypassed ApiKeyFilter.
                throw Failure.of(ErrorCode.UNAUTHENTICATED);
            }
        }
    }
}
