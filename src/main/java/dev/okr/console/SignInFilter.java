package dev.okr.console;

import dev.okr.organizations.tenant.CurrentTenant;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.http.Caller;
import io.quarkus.vertx.http.runtime.CurrentVertxRequest;
import jakarta.annotation.Priority;
import jakarta.inject.Provider;
import jakarta.ws.rs.Priorities;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.container.ContainerRequestFilter;
import org.eclipse.microprofile.config.inject.ConfigProperty;

/**
 * Finds out who signed in and lets in whom the service knows. That somebody did sign in was made sure of before, by
 * the policy of the paths in application.properties.
 */
@jakarta.ws.rs.ext.Provider
@Priority(Priorities.AUTHENTICATION)
public class SignInFilter implements ContainerRequestFilter {
    private final ConsoleSession session;
    private final People people;
    private final Caller caller;
    private final CurrentTenant tenant;
    private final CurrentVertxRequest http;

    // JAX-RS providers are created while a native image is built. A provider of the value reads it at run time.
    private final Provider<Boolean> verified;

    SignInFilter(
            ConsoleSession session,
            People people,
            Caller caller,
            CurrentTenant tenant,
            CurrentVertxRequest http,
            @ConfigProperty(name = "okr.console.require-verified-email") Provider<Boolean> verified) {
        this.session = session;
        this.people = people;
        this.caller = caller;
        this.tenant = tenant;
        this.http = http;
        this.verified = verified;
    }

    @Override
    public void filter(ContainerRequestContext request) {
        // Signing out is for everybody, known or not.
        if (!ConsolePath.needsSignIn(http.getCurrent())
                || ConsolePath.of(http.getCurrent()).equals(SessionResource.SIGN_OUT)) {
            return;
        }
        var email = session.email()
                .orElseThrow(() -> Failure.forbidden(
                        "Your provider did not say what your email address is, and by it you are known here."));
        if (verified.get() && !email.verified()) {
            throw Failure.forbidden(("Your provider has not verified that %s is your address. Verify it there, then"
                            + " sign out and in again.")
                    .formatted(email.address()));
        }
        var person = people.find(email.address())
                .orElseThrow(() -> Failure.forbidden(
                        "No active user has the address %s. Ask an admin of your organisation to invite you."
                                .formatted(email.address())));
        session.bind(person);
        caller.bind(person.identity());
        tenant.bind(person.identity().organizationId());
    }
}
