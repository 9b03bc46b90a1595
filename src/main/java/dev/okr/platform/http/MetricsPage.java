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

    private final PrometheusMeterRegistry metrics;
    private final Problems problems;
    private final boolean isOnOtherPort;

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
            ResponseParts.send(Buffer.buffer(metrics.scrape(type)), context.response());
        }
    }

    /** Selects the content type as the Micrometer extension does. */
    private static String type(@Nullable String accept) {
        return accept != null && (accept.contains("text/plain") || accept.contains("text/html")) ? TEXT : OPEN_METRICS;
    }
}
