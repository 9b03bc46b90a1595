package dev.okr.access.limits;

import io.vertx.core.net.impl.ConnectionBase;
import io.vertx.ext.web.RoutingContext;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * A pool for requests with large responses. A request keeps its place until its client has taken the response, so the
 * memory of the responses has a limit. If all places are used, a new request takes the place of the oldest response that
 * its client has not taken. The connection of that client ends. Otherwise clients that read nothing could hold all
 * places.
 *
 * <p>There is no minimum age. With one, clients from many networks could compete for each place that becomes old
 * enough. The system takes the response for a client that reads at once, so such a client does not lose its response.
 */
final class UntakenResponses {
    private final Budget<String> pool;

    /** The requests whose responses have started, oldest first. */
    private final Queue<Untaken> started = new ConcurrentLinkedQueue<>();

    private record Untaken(RoutingContext request, Place place) {
        void end() {
            place.leavePool();
            // The methods of Vert.x would wait until the client has read the response.
            ((ConnectionBase) request.request().connection()).channel().close();
        }
    }

    UntakenResponses(int maxOfNetwork, int maxInAll) {
        this.pool = new Budget<>(maxOfNetwork, maxInAll);
    }

    /** Gives a request its place. Returns false if there is none. */
    boolean enter(RoutingContext request, Place place) {
        while (!place.enter(pool)) {
            var oldest =
                    pool.hasPart(place.network(), 1) ? Optional.ofNullable(started.poll()) : Optional.<Untaken>empty();
            if (oldest.isEmpty()) {
                return false;
            }
            oldest.get().end();
        }
        var untaken = new Untaken(request, place);
        request.addHeadersEndHandler(start -> {
            started.add(untaken);
            place.whenClosed(() -> started.remove(untaken));
        });
        return true;
    }
}
