package dev.okr.console;

import dev.okr.access.limits.FailedAuthentications;
import io.quarkus.oidc.OIDCException;
import io.quarkus.oidc.runtime.OidcUtils;
import io.quarkus.runtime.StartupEvent;
import io.quarkus.security.AuthenticationCompletionException;
import io.quarkus.security.AuthenticationFailedException;
import io.quarkus.security.AuthenticationRedirectException;
import io.quarkus.vertx.http.runtime.filters.Filters;
import io.quarkus.vertx.http.runtime.security.HttpAuthenticator;
import io.quarkus.vertx.http.runtime.security.QuarkusHttpUser;
import io.quarkus.vertx.http.runtime.security.SecurityHandlerPriorities;
import io.vertx.core.http.Cookie;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.inject.Instance;
import java.util.Objects;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.jboss.logging.Logger;
import org.jose4j.lang.JoseException;

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

    private static final String NOT_SIGNED_IN = "You are not signed in";
    private static final String LOST_COOKIES =
            "Your browser did not send the cookie of the sign-in. It refuses cookies, or the sign-in took too long.";

    private static final String TOO_MANY_FAILURES =
            "Too many sign-ins from this address failed. Try again in a minute.";

    private static final int FOUND = 302;

    /** Runs after the filter that sets the request id (10,000) and before authentication (200). */
    private static final int PRIORITY = 9_000;

    private static final int BEFORE_FALLBACK = Integer.MAX_VALUE - 2;

    private static final String RETRY_AFTER_SECONDS = "5";

    private final boolean enabled;
    private final ConsoleErrors errors;
    private final FailedAuthentications failures;
    private final Instance<TrialSignIn> trial;

    ConsoleGate(
            @ConfigProperty(name = SignInDefaults.ENABLED) boolean enabled,
            ConsoleErrors errors,
            FailedAuthentications failures,
            Instance<TrialSignIn> trial) {
        this.enabled = enabled;
        this.errors = errors;
        this.failures = failures;
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
            if (enabled && hasLostCookies(context)) {
                errors.end(context, 401, NOT_SIGNED_IN, LOST_COOKIES, TRY_AGAIN);
                return;
            }
        }
        context.next();
    }

    /** Whether a browser returns from the provider without cookies. A new sign-in could cause an endless loop. */
    private static boolean hasLostCookies(RoutingContext context) {
        return ConsolePath.of(context).equals(SessionResource.SIGNED_IN)
                && context.queryParams().contains("state")
                && context.request().cookies().stream().noneMatch(ConsoleGate::isOfSignIn);
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
                redirect(context, redirect.getCode(), redirect.getRedirectUri());
            case AuthenticationFailedException ended -> renewSession(context);
            // The framework expects a number at the end of the names of some cookies.
            case NumberFormatException malformedName -> renewSession(context);
            case AuthenticationCompletionException rejected -> rejectSignIn(context, rejected);
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

    /**
     * Starts a new sign-in if the cookies of the session cannot be used, for example after a change of the encryption
     * key. A form is not sent again. The return from the provider is not redirected either, because a browser that
     * keeps the old cookies would be redirected endlessly.
     */
    private void renewSession(RoutingContext context) {
        deleteCookies(context);
        if (context.request().method() != HttpMethod.GET
                || ConsolePath.of(context).equals(SessionResource.SIGNED_IN)) {
            errors.end(context, 401, NOT_SIGNED_IN, "Your session has ended.", TRY_AGAIN);
            return;
        }
        var authenticator = Objects.requireNonNull(context.<HttpAuthenticator>get(HttpAuthenticator.class.getName()));
        authenticator
                .sendChallenge(context)
                .subscribe()
                .with(sent -> context.response().end(), context::fail);
    }

    /** The limit also applies to the log and to new sign-ins, because clients can cause failures quickly. */
    private void rejectSignIn(RoutingContext context, Throwable rejected) {
        deleteCookies(context);
        var client = context.request().remoteAddress();
        var wait = failures.count(client == null ? null : client.host());
        if (wait.isPresent()) {
            context.response()
                    .putHeader(
                            HttpHeaders.RETRY_AFTER, String.valueOf(wait.get().toSeconds()));
            errors.end(context, 429, NOT_SIGNED_IN, TOO_MANY_FAILURES, TRY_AGAIN);
            return;
        }
        LOG.warnf("Sign-in failed: %s", SignInFailure.reason(rejected));
        if (rejected.getCause() instanceof JoseException) {
            // The encryption key has changed since the sign-in began. This page cannot cause a loop.
            redirect(context, FOUND, SessionResource.SIGN_IN_AGAIN);
            return;
        }
        errors.end(context, 401, NOT_SIGNED_IN, "The sign-in failed.", TRY_AGAIN);
    }

    /** Deletes the cookies with which Quarkus keeps the session and sign-ins that have begun. */
    private static void deleteCookies(RoutingContext context) {
        for (var cookie : context.request().cookies()) {
            if (isOfSignIn(cookie)) {
                cookie.setValue("").setPath(ConsolePath.ROOT).setMaxAge(0);
            }
        }
    }

    private static boolean isOfSignIn(Cookie cookie) {
        return cookie.getName().startsWith(OidcUtils.SESSION_COOKIE_NAME)
                || cookie.getName().startsWith(OidcUtils.STATE_COOKIE_NAME);
    }

    private static void redirect(RoutingContext context, int status, String address) {
        context.response()
                .setStatusCode(status)
                .putHeader(HttpHeaders.LOCATION, address)
                .end();
    }
}
