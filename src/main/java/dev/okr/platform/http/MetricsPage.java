package dev.okr.platform.http;

import io.micrometer.prometheus.PrometheusMeterRegistry;
import io.quarkus.vertx.http.ManagementInterface;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.jspecify.annotations.Nullable;

/**
 * Sends the metrics in parts. The route of the extension puts each response into direct memory as a whole. Unread
 * responses could then use all direct memory.
 */
@ApplicationScoped
class MetricsPage {
    private static final String PATH = "/q/metrics";
    private static final String TEXT = "text/plain; version=0.0.4; charset=utf-8";
    private static final String OPEN_METRICS = "application/openmetrics-text; version=1.0.0; charset=utf-8";

    /** Runs after the filters, and before the route of the extension. */
    private static final int ORDER = -1;

    private final PrometheusMeterRegistry metrics;
    private final boolean isOnOtherPort;

    MetricsPage(
            PrometheusMeterRegistry metrics,
            @ConfigProperty(name = "quarkus.management.enabled", defaultValue = "false") boolean isOnOtherPort) {
        this.metrics = metrics;
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
        router.get(PATH).order(ORDER).blockingHandler(this::send, false);
    }

    private void send(RoutingContext context) {
        var type = type(context.request().getHeader(HttpHeaders.ACCEPT));
        context.response().putHeader(HttpHeaders.CONTENT_TYPE, type);
        ResponseParts.send(Buffer.buffer(metrics.scrape(type)), context.response());
    }

    /** The same types as those of the extension. */
    private static String type(@Nullable String accept) {
        return accept != null && (accept.contains("text/plain") || accept.contains("text/html")) ? TEXT : OPEN_METRICS;
    }
}
