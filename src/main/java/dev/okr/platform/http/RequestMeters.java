package dev.okr.platform.http;

import dev.okr.platform.errors.ErrorCode;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.quarkus.vertx.http.runtime.filters.Filters;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Measures all requests by operation. The framework's own metrics contain the path and the method of requests that are
 * rejected early. So a client could create any number of metrics. Requests of unknown callers are counted together.
 * Otherwise a client without a key could create thousands of metrics. Requests with the status 405 are also counted
 * together.
 */
@ApplicationScoped
class RequestMeters {
    private static final String REQUESTS = "http.server.requests";
    private static final String OTHER = "OTHER";
    private static final String API = ApiPath.PREFIX + '/';

    /** The client closed the connection before the response. */
    private static final int NO_STATUS = 0;

    private static final String RESET = "RESET";

    /** Runs before all other filters, to measure the whole request. */
    private static final int BEFORE_EVERYTHING = 10_001;

    private static final Set<String> METHODS = Set.of("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS");

    private static final Duration[] BUCKETS = {
        Duration.ofNanos(2_500_000),
        Duration.ofMillis(5),
        Duration.ofMillis(10),
        Duration.ofMillis(25),
        Duration.ofMillis(50),
        Duration.ofMillis(100),
        Duration.ofMillis(250),
        Duration.ofMillis(500),
        Duration.ofSeconds(1),
        Duration.ofMillis(2_500),
        Duration.ofSeconds(5)
    };

    private final MeterRegistry metrics;
    private final Map<Kind, Timer> timers = new ConcurrentHashMap<>();

    RequestMeters(MeterRegistry metrics) {
        this.metrics = metrics;
    }

    /** The tags of a timer. The number of their combinations is limited. */
    private record Kind(String method, String operation, int status) {}

    void register(@Observes Filters filters) {
        filters.register(this::measure, BEFORE_EVERYTHING);
    }

    private void measure(RoutingContext context) {
        long startedNanos = System.nanoTime();
        context.addEndHandler(ended -> {
            var path = context.request().path();
            if (path == null || !path.startsWith("/q/")) {
                timer(context, path, ended.succeeded()).record(Duration.ofNanos(System.nanoTime() - startedNanos));
            }
        });
        context.next();
    }

    private Timer timer(RoutingContext context, @Nullable String path, boolean answered) {
        var method = context.request().method().name();
        int status = answered ? context.response().getStatusCode() : NO_STATUS;
        boolean isOperation =
                context.get(RequestIds.ORGANIZATION_ID) != null && status != ErrorCode.METHOD_NOT_ALLOWED.status();
        var kind = new Kind(
                METHODS.contains(method) ? method : OTHER, isOperation ? operation(path) : area(context), status);
        // computeIfAbsent often takes a lock, even if the kind is known.
        var known = timers.get(kind);
        return known == null ? timers.computeIfAbsent(kind, this::register) : known;
    }

    /** The API has its own area, because the alerts count its failures before the caller is known. */
    private static String area(RoutingContext context) {
        return ApiPath.of(context).isPresent() ? API : OTHER;
    }

    private static String operation(@Nullable String path) {
        if (path == null || path.equals(ApiPath.TOOLS)) {
            return path == null ? OTHER : path;
        }
        return Routes.served().flatMap(routes -> routes.template(path)).orElse(OTHER);
    }

    private Timer register(Kind kind) {
        return Timer.builder(REQUESTS)
                .description("The duration of requests, by operation")
                .tag("method", kind.method())
                .tag("uri", kind.operation())
                .tag("status", kind.status() == NO_STATUS ? RESET : String.valueOf(kind.status()))
                .serviceLevelObjectives(BUCKETS)
                .register(metrics);
    }
}
