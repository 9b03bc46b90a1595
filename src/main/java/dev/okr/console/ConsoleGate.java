package dev.okr.console;

import io.quarkus.oidc.OIDCException;
import io.quarkus.runtime.StartupEvent;
import io.quarkus.security.AuthenticationException;
import io.quarkus.security.AuthenticationRedirectException;
import io.quarkus.vertx.http.runtime.filters.Filters;
import io.quarkus.vertx.http.runtime.security.QuarkusHttpUser;
import io.quarkus.vertx.http.runtime.security.SecurityHandlerPriorities;
import io.vertx.core.http.HttpHeaders;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.jboss.logging.Logger;

/** Stands before every request of the console, even before its sign-in: shut while no provider is configured. */
@ApplicationScoped
class ConsoleGate {
    private static final Logger LOG = Logger.getLogger(ConsoleGate.class);
    private static final String OFF =
            "The console is off. Set QUARKUS_OIDC_AUTH_SERVER_URL to the address of an OpenID Connect provider,"
                    + " QUARKUS_OIDC_CLIENT_ID and QUARKUS_OIDC_CREDENTIALS_SECRET to switch it on.";

    /** After the request has its id (10,000), before the sign-in (200). */
    private static final int PRIORITY = 9_000;

    private static final int BEFORE_FALLBACK = Integer.MAX_VALUE - 2;

    /** In seconds: a provider that is away stays so for a while. */
    private static final String RETRY_AFTER = "5";

    private final boolean enabled;
    private final ConsoleErrors errors;

    ConsoleGate(@ConfigProperty(name = SignInDefaults.ENABLED) boolean enabled, ConsoleErrors errors) {
        this.enabled = enabled;
        this.errors = errors;
    }

    void tell(@Observes StartupEvent start) {
        if (!enabled) {
            LOG.info(OFF);
        }
    }

    void register(@Observes Filters filters) {
        filters.register(this::pass, PRIORITY);
        filters.register(ConsoleGate::spareOthers, SecurityHandlerPriorities.AUTHENTICATION);
    }

    void register(@Observes Router router) {
        router.route(ConsolePath.ROOT + "/*").order(BEFORE_FALLBACK).failureHandler(this::fail);
    }

    private void pass(RoutingContext context) {
        if (ConsolePath.isConsole(context)) {
            PageHeaders.set(context);
            if (!enabled) {
                errors.end(context, 404, "There is no console here", OFF, false);
                return;
            }
        }
        context.next();
    }

    /**
     * The framework prepares every request for a sign-in that may fail, which takes a tenth of the time of a short one:
     * it builds a table of all paths. Right behind its handler, requests of others than the console are spared that.
     */
    private static void spareOthers(RoutingContext context) {
        if (!ConsolePath.isConsole(context)) {
            context.remove(QuarkusHttpUser.AUTH_FAILURE_HANDLER);
        }
        context.next();
    }

    /** What becomes of a sign-in that did not simply succeed. */
    private void fail(RoutingContext context) {
        switch (context.failure()) {
            case AuthenticationRedirectException redirect ->
                context.response()
                        .setStatusCode(redirect.getCode())
                        .putHeader(HttpHeaders.LOCATION, redirect.getRedirectUri())
                        .end();
            case AuthenticationException refused ->
                errors.end(context, 401, "You are not signed in", "The sign-in did not work. Try again.", true);
            case OIDCException away -> {
                context.response().putHeader(HttpHeaders.RETRY_AFTER, RETRY_AFTER);
                errors.end(
                        context,
                        503,
                        "Nobody can sign in right now",
                        "The provider that signs people in cannot be reached. Try again shortly.",
                        true);
            }
            case null, default -> context.next();
        }
    }
}
