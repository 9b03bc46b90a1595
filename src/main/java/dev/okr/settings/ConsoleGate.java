package dev.okr.settings;

import io.quarkus.runtime.StartupEvent;
import io.quarkus.vertx.http.runtime.filters.Filters;
import io.vertx.core.http.HttpHeaders;
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

    private static final String POLICY =
            "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; base-uri 'none';"
                    + " frame-ancestors 'none'; form-action 'self' https:";

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
    }

    private void pass(RoutingContext context) {
        if (ConsolePath.isConsole(context)) {
            protect(context);
            if (!enabled) {
                errors.end(context, 404, "There is no console here", OFF);
                return;
            }
        }
        context.next();
    }

    private static void protect(RoutingContext context) {
        boolean https = context.request().isSSL();
        var headers = context.response().headers();
        // A form may lead on to the provider, wherever it is: when somebody signs out, or has to sign in again.
        headers.set("Content-Security-Policy", https ? POLICY : POLICY + " http:")
                .set("Referrer-Policy", "same-origin")
                .set("X-Content-Type-Options", "nosniff")
                .set("Cross-Origin-Opener-Policy", "same-origin");
        if (!ConsolePath.isAsset(context)) {
            headers.set(HttpHeaders.CACHE_CONTROL, "no-store");
        }
        if (https) {
            headers.set("Strict-Transport-Security", "max-age=31536000");
        }
    }
}
