package dev.okr.access.limits;

import io.vertx.ext.web.RoutingContext;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * The places and turns of requests whose client is unknown. Each kind of request has its own, so probes also work under
 * overload. Each client network has a share.
 */
final class AnonymousPlaces {
    /** These checks only test that the replica responds. If they fail, an orchestrator restarts it. */
    private static final Set<String> LIVENESS_PATHS = Set.of("/q/health/live", "/q/health/started");

    private static final Set<String> READINESS_PATHS = Set.of("/q/health", "/q/health/ready");
    private static final String METRICS_PATH = "/q/metrics";

    /** Documents and static files. Except for metrics, all other responses have a few kilobytes. */
    private static final List<String> DOCUMENT_PATHS = List.of("/q/", "/settings/assets/", "/guides/", "/llms.txt");

    /**
     * Checks that run. The others wait in the order of their arrival. A check is short, so a few at a time are enough.
     * More would delay other requests, because they use the processor. Readiness checks wait for the database. So
     * liveness checks have their own permits.
     */
    private final FairSemaphore liveness = new FairSemaphore(4);

    private final FairSemaphore readiness = new FairSemaphore(2);

    /**
     * Limits the checks that run or wait, because their heads are in memory. Each network can have one until there are
     * 512.
     */
    private final Budget<String> livenessPlaces = new Budget<>(256, 256, 1, 512);

    private final Budget<String> readinessPlaces = new Budget<>(4, 256, 1, 512);

    /** The limit is low, because a response can be larger than one megabyte. */
    private final UntakenResponses metrics = new UntakenResponses(4, 32);

    private final UntakenResponses documents = new UntakenResponses(8, 32);
    private final Budget<String> pages = new Budget<>(16, 64);

    private final Duration maxWait;

    /** @param maxWait the longest wait of a health check */
    AnonymousPlaces(Duration maxWait) {
        this.maxWait = maxWait;
    }

    /** Completes with true when the request may run, or with false if it is refused. */
    CompletableFuture<Boolean> enter(RoutingContext context, Place place) {
        var path = context.normalizedPath();
        if (LIVENESS_PATHS.contains(path)) {
            // A liveness check without a place runs at once, because it needs few resources.
            return enterPool(livenessPlaces, context, place)
                    ? acquire(liveness, context, place)
                    : CompletableFuture.completedFuture(true);
        }
        if (READINESS_PATHS.contains(path)) {
            return enterPool(readinessPlaces, context, place)
                    ? acquire(readiness, context, place)
                    : CompletableFuture.completedFuture(false);
        }
        if (path.equals(METRICS_PATH)) {
            place.beginWork();
            // The response is complete at its start. A client that disconnects while it reads needs no place.
            context.addHeadersEndHandler(start -> place.endWork());
            return CompletableFuture.completedFuture(metrics.enter(context, place));
        }
        boolean isDocument = DOCUMENT_PATHS.stream().anyMatch(path::startsWith);
        return CompletableFuture.completedFuture(
                isDocument ? documents.enter(context, place) : enterPool(pages, context, place));
    }

    private static boolean enterPool(Budget<String> pool, RoutingContext context, Place place) {
        // The work continues after the client has disconnected, until there is a response.
        place.beginWork();
        context.addBodyEndHandler(ended -> place.endWork());
        // The responses are small, so a client that does not read one needs no place.
        context.addEndHandler(ended -> {
            if (ended.succeeded()) {
                place.leavePool();
            }
        });
        return place.enter(pool);
    }

    private CompletableFuture<Boolean> acquire(FairSemaphore checks, RoutingContext context, Place place) {
        // The body is not needed, and would be in memory during the wait.
        context.request().resume();
        var permit = checks.acquire();
        place.holdTurn(() -> checks.release(permit));
        place.await(permit);
        if (!permit.isDone()) {
            permit.orTimeout(maxWait.toMillis(), TimeUnit.MILLISECONDS);
        }
        return permit.handle((given, failure) -> {
            if (failure != null) {
                place.endWork();
            }
            return failure == null;
        });
    }

    /** Gives a page its place back, after its body has arrived. */
    boolean enterAgain(Place place) {
        return place.enter(pages);
    }
}
