package dev.okr.console;

import dev.okr.platform.errors.Failure;
import jakarta.annotation.Priority;
import jakarta.ws.rs.Priorities;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.container.ContainerRequestFilter;
import jakarta.ws.rs.ext.Provider;

/** Enforces {@link AdminsOnly}. */
@Provider
@AdminsOnly
@Priority(Priorities.AUTHORIZATION)
public class AdminsOnlyFilter implements ContainerRequestFilter {
    private final ConsoleSession session;

    AdminsOnlyFilter(ConsoleSession session) {
        this.session = session;
    }

    @Override
    public void filter(ContainerRequestContext request) {
        if (!session.user().isAdmin()) {
            throw Failure.forbidden("Only admins of your organisation can open this page.");
        }
    }
}
