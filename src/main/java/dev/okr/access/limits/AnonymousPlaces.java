package dev.okr.access.limits;

import io.vertx.ext.web.RoutingContext;
import java.util.Set;

/**
 * The places of requests whose client is not known. The kinds do not share places, so they do not wait for each other,
 * and probes work under overload. The requests of a client network have a share of each.
 */
final class AnonymousPlaces {
    private static final Set<String> HEALTH_PATHS =
            Set.of("/q/health", "/q/health/live", "/q/health/ready", "/q/health/started");
    private static final String METRICS_PATH = "/q/metrics";
    private static final String DOCUMENTS_PATH = "/q/";

    private final Budget<String> health = new Budget<>(4, 16);
    private final Budget<String> metrics = new Budget<>(4, 16);
    private final Budget<String> documents = new Budget<>(8, 32);
    private final Budget<String> pages = new Budget<>(16, 64);

    /** Gives a request its place. Returns false if there is none. */
    boolean enter(RoutingContext context, Place place) {
        var path = context.normalizedPath();
        boolean isHealth = HEALTH_PATHS.contains(path);
        boolean isMetrics = path.equals(METRICS_PATH);
        if (path.startsWith(DOCUMENTS_PATH) && !isHealth && !isMetrics) {
            return place.enter(documents);
        }
        // The work continues after the client has disconnected, and it is not known when it ends.
        place.beginWork();
        if (isHealth || isMetrics) {
            return place.enter(isHealth ? health : metrics);
        }
        // Pages are small, so a client that does not read one needs no place.
        context.addEndHandler(ended -> {
            if (ended.succeeded()) {
                place.leavePool();
            }
        });
        return place.enter(pages);
    }
}
