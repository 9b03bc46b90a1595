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

/** Binds an authenticated request to its caller and organisation, in the request's own context. */
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
        if (request.getProperty(ApiKeyFilter.PRINCIPAL) instanceof AuthenticatedKey principal) {
            caller.bind(principal.identity());
            tenant.bind(principal.organizationId());
        } else if (request.getUriInfo().getPath().startsWith("/v1")) {
            // Whatever led here past the filter that judges keys: an operation without a caller is nobody's.
            throw Failure.of(ErrorCode.UNAUTHENTICATED, "Send a valid API key in the Authorization header.");
        }
    }
}
