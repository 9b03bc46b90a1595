package dev.okr.platform.http;

import dev.okr.platform.errors.ErrorCode;
import dev.okr.platform.errors.Failure;
import io.micrometer.prometheus.PrometheusMeterRegistry;
import io.quarkus.vertx.http.ManagementInterface;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.jspecify.annotations.Nullable;

/**
 * Sends the metrics in parts. The routes of the Micrometer extension copy the whole response into direct memory. Unread
 * responses could use up that memory. So this page also answers the other requests that those routes would answer.
 */
@ApplicationScoped
class MetricsPage {
    private static final String PATH = "/q/metrics";
    private static final String TEXT = "text/plain; version=0.0.4; charset=utf-8";
    private static final String OPEN_METRICS = "application/openmetrics-text; version=1.0.0; charset=utf-8";

    /** Runs after the filters, and before the route of the extension. */
    private static final int ORDER = -1;

    /** The pause after a scrape, as a multiple of its time. So short scrapes use at most a third of one processor. */
    private static final long PAUSE = 2;

    private static final long MAX_PAUSE_NANOS = Duration.ofMillis(100).toNanos();

    private final PrometheusMeterRegistry metrics;
    private final Problems problems;
    private final boolean isOnOtherPort;

    /** Held during a scrape and the pause before it. Otherwise, many clients could use all processors. */
    private final ReentrantLock scraping = new ReentrantLock(true);

    /** The last scrape of each content type. {@link #scraping} guards this map and {@link #nextNanos}. */
    private final Map<String, Scrape> last = new HashMap<>();

    private long nextNanos = System.nanoTime();

    private record Scrape(Buffer text, long startNanos) {}

    MetricsPage(
            PrometheusMeterRegistry metrics,
            Problems problems,
            @ConfigProperty(name = "quarkus.management.enabled", defaultValue = "false") boolean isOnOtherPort) {
        this.metrics = metrics;
        this.problems = problems;
        this.isOnOtherPort = isOnOtherPort;
    }

    void register(@Observes Router router) {
        if (!isOnOtherPort) {
            addRoute(router);
        }
    }

    void register(@Observes ManagementInterface management) {
        addRoute(management.router());
    }

    private void addRoute(Router router) {
        // The pattern also matches the path itself.
        router.route(PATH + "/*").order(ORDER).blockingHandler(this::send, false);
    }

    private void send(RoutingContext context) {
        var method = context.request().method();
        if (!context.normalizedPath().equals(PATH)) {
            problems.end(context, Failure.of(ErrorCode.NOT_FOUND));
        } else if (method != HttpMethod.GET && method != HttpMethod.HEAD) {
            problems.end(context, Failure.of(ErrorCode.METHOD_NOT_ALLOWED));
        } else {
            var type = type(context.request().getHeader(HttpHeaders.ACCEPT));
            context.response()
                    .putHeader(HttpHeaders.CONTENT_TYPE, type)
                    // Otherwise the framework would compress the response. It removes this value.
                    .putHeader(HttpHeaders.CONTENT_ENCODING, HttpHeaders.IDENTITY);
            ResponseParts.send(scrape(type), context.response());
        }
    }

    /**
     * Requests for the same content type that wait at the same time get the same scrape. It starts after they have
     * arrived.
     */
    private Buffer scrape(String type) {
        long arrivalNanos = System.nanoTime();
        scraping.lock();
        try {
            var shared = last.get(type);
            if (shared != null && shared.startNanos() - arrivalNanos > 0) {
                return shared.text();
            }
            LockSupport.parkNanos(nextNanos - System.nanoTime());
            long startNanos = System.nanoTime();
            var text = Buffer.buffer(metrics.scrape(type));
            last.put(type, new Scrape(text, startNanos));
            long endNanos = System.nanoTime();
            nextNanos = endNanos + Math.min(PAUSE * (endNanos - startNanos), MAX_PAUSE_NANOS);
            return text;
        } finally {
            scraping.unlock();
        }
    }

    /** Selects the content type as the Micrometer extension does. */
    private static String type(@Nullable String accept) {
        return accept != null && (accept.contains("text/plain") || accept.contains("text/html")) ? TEXT : OPEN_METRICS;
    }
}
