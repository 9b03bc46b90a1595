package dev.okr.platform.http;

import io.vertx.core.http.HttpHeaders;
import io.vertx.ext.web.RoutingContext;

/** The caching headers of all responses below {@code /v1}. */
final class Caching {
    private static final String NO_STORE = "no-store";
    private static final String VARY = "Authorization, Accept-Encoding";

    private Caching() {}

    static void describe(RoutingContext context) {
        if (ApiPath.of(context).isPresent()) {
            context.response().putHeader(HttpHeaders.CACHE_CONTROL, NO_STORE).putHeader(HttpHeaders.VARY, VARY);
        }
    }
}
