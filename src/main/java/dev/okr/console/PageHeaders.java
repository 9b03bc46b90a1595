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

/** The headers that tell browsers what a page of the console may do, and what others may do with it. */
final class PageHeaders {
    private static final String POLICY =
            "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; base-uri 'none';"
                    + " frame-ancestors 'none'; form-action 'self' ";

    private PageHeaders() {}

    /** Sets them on whatever the request will be answered with. */
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

    /** Who signed in, with which provider, and whether a stylesheet was found, is known by the end. */
    private static void complete(MultiMap headers, RoutingContext context, boolean https) {
        headers.set("Content-Security-Policy", POLICY + formTargets(context, https));
        if (!ConsolePath.isAsset(context) || !headers.contains(HttpHeaders.CACHE_CONTROL)) {
            headers.set(HttpHeaders.CACHE_CONTROL, "no-store");
        }
    }

    /** A form may lead on to the provider: when somebody signs out, or has to sign in again. */
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
