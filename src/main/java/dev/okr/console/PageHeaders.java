package dev.okr.console;

import io.quarkus.oidc.OidcConfigurationMetadata;
import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpHeaders;
import io.vertx.ext.web.RoutingContext;
import java.net.URI;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The security headers of the console's pages. */
final class PageHeaders {
    private static final String POLICY =
            "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none';"
                    + " frame-ancestors 'none'; form-action 'self' ";

    private PageHeaders() {}

    /** Sets the headers on the response, whichever handler sends it. */
    static void set(RoutingContext context) {
        boolean https = context.request().isSSL();
        var headers = context.response().headers();
        headers.set("Referrer-Policy", "same-origin")
                .set("X-Content-Type-Options", "nosniff")
                .set("Cross-Origin-Opener-Policy", "same-origin")
                .set("Cross-Origin-Resource-Policy", "same-origin");
        if (https) {
            headers.set("Strict-Transport-Security", "max-age=31536000");
        }
        context.addHeadersEndHandler(ended -> complete(headers, context, https));
    }

    /** The provider of the session and the cacheability are known only when the headers are sent. */
    private static void complete(MultiMap headers, RoutingContext context, boolean https) {
        headers.set("Content-Security-Policy", POLICY + formTargets(context, https));
        if (!ConsolePath.isAsset(context) || !headers.contains(HttpHeaders.CACHE_CONTROL)) {
            headers.set(HttpHeaders.CACHE_CONTROL, "no-store");
        }
    }

    /** Forms may redirect to the provider, for signing out and for signing in again. */
    private static String formTargets(RoutingContext context, boolean https) {
        return ConsoleSession.provider(context)
                .map(PageHeaders::origins)
                .filter(origins -> !origins.isEmpty())
                .orElse(https ? "https:" : "https: http:");
    }

    private static String origins(OidcConfigurationMetadata provider) {
        return Stream.of(provider.getAuthorizationUri(), provider.getEndSessionUri())
                .filter(Objects::nonNull)
                .map(PageHeaders::origin)
                .distinct()
                .collect(Collectors.joining(" "));
    }

    private static String origin(String address) {
        var uri = URI.create(address);
        var port = uri.getPort() < 0 ? "" : ":" + uri.getPort();
        return uri.getScheme().toLowerCase(Locale.ROOT) + "://" + uri.getHost() + port;
    }
}
