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
import jakarta.enterprise.inject.Instance;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.jboss.logging.Logger;

/**
 * Handles every request of the console before authentication, and failures of the authentication. If no provider is
 * configured, all pages answer 404, except in a trial.
 */
@ApplicationScoped
class ConsoleGate {
    /** The text of the link on the error page after a failed sign-in. */
    static final String TRY_AGAIN = "Try again";

    private static final Logger LOG = Logger.getLogger(ConsoleGate.class);
    private static final String DISABLED =
            "The console is disabled. To enable it, set QUARKUS_OIDC_AUTH_SERVER_URL to the URL of an OpenID Connect"
                    + " provider, QUARKUS_OIDC_CLIENT_ID and QUARKUS_OIDC_CREDENTIALS_SECRET.";

    /** Runs after the filter that sets the request id (10,000) and before authentication (200). */
    private static final int PRIORITY = 9_000;

    private static final int BEFORE_FALLBACK = Integer.MAX_VALUE - 2;

    private static final String RETRY_AFTER_SECONDS = "5";

    private final boolean enabled;
    private final ConsoleErrors errors;
    private final Instance<TrialSignIn> trial;

    ConsoleGate(
            @ConfigProperty(name = SignInDefaults.ENABLED) boolean enabled,
            ConsoleErrors errors,
            Instance<TrialSignIn> trial) {
        this.enabled = enabled;
        this.errors = errors;
        this.trial = trial;
    }

    /** Runs after the creation of the demonstration, because that creation opens the trial. */
    void logIfDisabled(@Observes StartupEvent start) {
        if (!enabled && trial.stream().noneMatch(TrialSignIn::isOpen)) {
            LOG.info(DISABLED);
        }
    }

    void register(@Observes Filters filters) {
        filters.register(this::handle, PRIORITY);
        filters.register(ConsoleGate::skipAuthenticationFailureHandler, SecurityHandlerPriorities.AUTHENTICATION);
    }

    void register(@Observes Router router) {
        router.route(ConsolePath.ROOT + "/*").order(BEFORE_FALLBACK).failureHandler(this::fail);
    }

    private void handle(RoutingContext context) {
        if (ConsolePath.isConsole(context)) {
            PageHeaders.set(context);
            boolean isTrial = trial.stream().anyMatch(each -> each.isOpenFor(context));
            if (!enabled && !isTrial) {
                errors.end(context, 404, "The console is disabled", DISABLED, null);
                return;
            }
            // Otherwise a form sent to this page would fail the check of its token, as if the page existed.
            if (!isTrial && ConsolePath.of(context).equals(TrialSignIn.PATH)) {
                errors.endNotFound(context);
                return;
            }
        }
        context.next();
    }

    /**
     * Removes the failure handler that the framework adds to every request. It builds a table of all paths, which takes
     * a tenth of the time of a short request. Only the console needs it.
     */
    private static void skipAuthenticationFailureHandler(RoutingContext context) {
        if (!ConsolePath.isConsole(context)) {
            context.remove(QuarkusHttpUser.AUTH_FAILURE_HANDLER);
        }
        context.next();
    }

    /** Redirects to the provider for sign-in. After a failed sign-in, shows an error page. */
    private void fail(RoutingContext context) {
        switch (context.failure()) {
            case AuthenticationRedirectException redirect ->
                context.response()
                        .setStatusCode(redirect.getCode())
                        .putHeader(HttpHeaders.LOCATION, redirect.getRedirectUri())
                        .end();
            case AuthenticationException rejected ->
                errors.end(context, 401, "You are not signed in", "The sign-in failed.", TRY_AGAIN);
            case OIDCException unreachable -> {
                context.response().putHeader(HttpHeaders.RETRY_AFTER, RETRY_AFTER_SECONDS);
                errors.end(
                        context,
                        503,
                        "Sign-in is temporarily unavailable",
                        "The sign-in provider is unreachable. Try again shortly.",
                        TRY_AGAIN);
            }
            case null, default -> context.next();
        }
    }
}
