package dev.okr.access.limits;

import dev.okr.platform.http.Connections;
import io.vertx.ext.web.RoutingContext;
import java.util.Comparator;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * A pool for requests with large responses. A request keeps its place until its client has taken the response. This
 * limits the memory of the responses. If no place is free and its network has a share left, a new request takes the
 * place of a response that its client has not taken. This is the oldest response of the network with the most places.
 * The connection of that client ends. So clients that read nothing cannot hold all places.
 *
 * <p>A response has no minimum age. Otherwise, clients from many networks could compete for each place that becomes old
 * enough. If a client reads at once, the socket takes its response immediately, so the client does not lose it.
 */
final class UntakenResponses {
    private final Budget<String> pool;

    /** The requests whose responses have started, oldest first. */
    private final Queue<Untaken> started = new ConcurrentLinkedQueue<>();

    private record Untaken(RoutingContext request, Place place) {
        void end() {
            place.leavePool();
            Connections.closeNow(request);
        }
    }

    UntakenResponses(int maxOfNetwork, int maxInAll) {
        this.pool = new Budget<>(maxOfNetwork, maxInAll);
    }

    /** The oldest response of the network with the most places. */
    private Optional<Untaken> nextToEnd() {
        return started.stream().max(Comparator.comparingLong(each -> pool.used(each.place.network())));
    }

    /** Gives a request its place. Returns false if there is none. */
    boolean enter(RoutingContext request, Place place) {
        while (!place.enter(pool)) {
            var next = pool.used(place.network()) < pool.perHolder() ? nextToEnd() : Optional.<Untaken>empty();
            if (next.isEmpty()) {
                return false;
            }
            // Another request may have ended it.
            if (started.remove(next.get())) {
                next.get().end();
            }
        }
        var untaken = new Untaken(request, place);
        request.addHeadersEndHandler(start -> {
            started.add(untaken);
            place.whenClosed(() -> started.remove(untaken));
        });
        return true;
    }
}
