package dev.okr.access;

import dev.okr.organizations.tenant.CurrentTenant;
import dev.okr.platform.errors.ErrorCode;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.http.Caller;
import jakarta.annotation.Priority;
import jakarta.ws.rs.Priorities;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.container.ContainerRequestFilter;
import jakarta.ws.rs.ext.Provider;

/** Sets the caller and the organisation of an authenticated request in the request's context. */
@Provider
@Priority(Priorities.AUTHENTICATION)
public class CallerFilter implements ContainerRequestFilter {
    private final Caller caller;
    private final CurrentTenant tenant;

    CallerFilter(Caller caller, CurrentTenant tenant) {
        this.caller = caller;
        this.tenant = tenant;
    }

    @Override
    public void filter(ContainerRequestContext request) {
        if (request.getProperty(ApiKeyFilter.AUTHENTICATED_KEY) instanceof AuthenticatedKey key) {
            caller.bind(key.identity());
            tenant.bind(key.organizationId());
        } else if (request.getUriInfo().getPath().startsWith("/v1")) {
            // An operation under /v1 never runs without a caller, even if a request bypassed ApiKeyFilter.
            throw Failure.of(ErrorCode.UNAUTHENTICATED);
        }
    }
}
