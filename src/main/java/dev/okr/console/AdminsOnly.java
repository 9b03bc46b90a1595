package dev.okr.console;

import dev.okr.platform.errors.Failure;
import jakarta.annotation.Priority;
import jakarta.ws.rs.NameBinding;
import jakarta.ws.rs.Priorities;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.container.ContainerRequestFilter;
import jakarta.ws.rs.ext.Provider;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Restricts a page to admins. Other users get 403. */
@NameBinding
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
public @interface AdminsOnly {

    @Provider
    @AdminsOnly
    @Priority(Priorities.AUTHORIZATION)
    final class Filter implements ContainerRequestFilter {
        private final ConsoleSession session;

        Filter(ConsoleSession session) {
            this.session = session;
        }

        @Override
        public void filter(ContainerRequestContext request) {
            if (!session.user().isAdmin()) {
                throw Failure.forbidden("Only admins of your organisation can open this page.");
            }
        }
    }
}
