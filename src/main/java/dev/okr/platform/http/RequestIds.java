package dev.okr.platform.http;

import dev.okr.platform.ids.UuidV7;
import io.quarkus.vertx.http.runtime.filters.Filters;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.time.Instant;
import java.util.concurrent.ThreadLocalRandom;
import org.jboss.logging.Logger;
import org.jboss.logging.MDC;
import org.jspecify.annotations.Nullable;

/** Gives every request an id, a line in the access log and, for the API, caching headers. */
@ApplicationScoped
public class RequestIds {
    public static final String HEADER = "X-Request-Id";

    /** Keys of the routing context, for values in the access log. */
    public static final String API_KEY_ID = "okr.api-key-id";

    public static final String ORGANIZATION_ID = "okr.organization-id";

    private static final Logger ACCESS_LOG = Logger.getLogger("dev.okr.access");
    private static final String REQUEST_ID = "okr.request-id";
    private static final String NO_STORE = "no-store";
    private static final String VARY = "Authorization, Accept-Encoding";
    private static final int MAX_LENGTH = 128;
    private static final int BEFORE_EVERYTHING = 10_000;
    private static final long NANOS_PER_MICRO = 1_000;

    /** The id of a request. Gives it an id if it has none yet. */
    static String of(RoutingContext context) {
        String known = context.get(REQUEST_ID);
        if (known != null) {
            return known;
        }
        var given = context.request().getHeader(HEADER);
        var id = given != null && isAcceptable(given) ? given : newId();
        context.put(REQUEST_ID, id);
        context.response().putHeader(HEADER, id);
        if (ApiPath.needsKey(context)) {
            forbidCaching(context.response());
        }
        return id;
    }

    /** A new id. New ids sort by time. They are not secret, so they need no cryptographic random numbers. */
    static String newId() {
        var now = UuidV7.least(Instant.now());
        return UuidV7.withTimeOf(now, ThreadLocalRandom.current().nextLong()).toString();
    }

    static HttpServerResponse forbidCaching(HttpServerResponse response) {
        return response.putHeader(HttpHeaders.CACHE_CONTROL, NO_STORE).putHeader(HttpHeaders.VARY, VARY);
    }

    void register(@Observes Filters filters) {
        filters.register(this::identify, BEFORE_EVERYTHING);
    }

    private void identify(RoutingContext context) {
        long startedNanos = System.nanoTime();
        MDC.put("request_id", of(context));
        if (ACCESS_LOG.isInfoEnabled()) {
            context.addEndHandler(ended -> log(context, startedNanos));
        }
        context.next();
    }

    private static void log(RoutingContext context, long startedNanos) {
        var path = context.request().path();
        if (path == null || path.startsWith("/q/")) {
            return;
        }
        // Concatenation is faster than parsing a format for each request.
        var method = context.request().method().name();
        ACCESS_LOG.info("method=" + orDash(Text.hasSecret(method) ? null : method)
                + " path=" + Text.printable(path)
                + " status=" + context.response().getStatusCode()
                + " duration_us=" + (System.nanoTime() - startedNanos) / NANOS_PER_MICRO
                + " request_id=" + of(context)
                + " key=" + orDash(context.get(API_KEY_ID))
                + " organization=" + orDash(context.get(ORGANIZATION_ID)));
    }

    private static String orDash(@Nullable String value) {
        return value == null ? "-" : value;
    }

    /** Whether a caller's id has 1 to 128 visible ASCII characters and contains no secret. The id is logged. */
    private static boolean isAcceptable(String id) {
        return !id.isEmpty()
                && id.length() <= MAX_LENGTH
                && !Text.hasSecret(id)
                && id.chars().allMatch(character -> character > ' ' && character < '\u007F');
    }
}
