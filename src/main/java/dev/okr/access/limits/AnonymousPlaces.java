package dev.okr.access.limits;

import io.vertx.ext.web.RoutingContext;
import java.util.List;
import java.util.Set;

/**
 * The places of requests whose client is unknown. Each kind of request has its own places, so probes also work under
 * overload. Each client network has a share of the places of a kind.
 */
final class AnonymousPlaces {
    /** They check nothing and are never refused. Otherwise an orchestrator would restart the replica. */
    private static final Set<String> LIVENESS_PATHS = Set.of("/q/health/live", "/q/health/started");

    private static final Set<String> READINESS_PATHS = Set.of("/q/health", "/q/health/ready");
    private static final String METRICS_PATH = "/q/metrics";

    /** Documents and static files. Except for metrics, all other responses have a few kilobytes. */
    private static final List<String> DOCUMENT_PATHS = List.of("/q/", "/settings/assets/", "/guides/", "/llms.txt");

    /** Each address can have one while fewer than 256 run. So other clients do not make an orchestrator's probe fail. */
    private final Budget<String> readiness = new Budget<>(4, 64, 1, 256);

    /** The limit is low, because a response can be larger than one megabyte. */
    private final UntakenResponses metrics = new UntakenResponses(4, 32);

    private final UntakenResponses documents = new UntakenResponses(8, 32);
    private final Budget<String> pages = new Budget<>(16, 64);

    /** Gives a request its place. Returns false if there is none. */
    boolean enter(RoutingContext context, Place place) {
        var path = context.normalizedPath();
        if (LIVENESS_PATHS.contains(path)) {
            return true;
        }
        boolean isReadiness = READINESS_PATHS.contains(path);
        boolean isMetrics = path.equals(METRICS_PATH);
        if (DOCUMENT_PATHS.stream().anyMatch(path::startsWith) && !isReadiness && !isMetrics) {
            return documents.enter(context, place);
        }
        // The work continues after the client has disconnected, until there is a response.
        place.beginWork();
        if (isMetrics) {
            // The response is complete at its start. A client that disconnects while it reads needs no place.
            context.addHeadersEndHandler(start -> place.endWork());
            return metrics.enter(context, place);
        }
        context.addBodyEndHandler(ended -> place.endWork());
        // The other responses are small, so a client that does not read one needs no place.
        context.addEndHandler(ended -> {
            if (ended.succeeded()) {
                place.leavePool();
            }
        });
        return place.enter(isReadiness ? readiness : pages);
    }

    /** Gives a page its place back, after its body has arrived. */
    boolean enterAgain(Place place) {
        return place.enter(pages);
    }
}
