package dev.okr.access.limits;

import dev.okr.platform.http.Connections;
import io.vertx.ext.web.RoutingContext;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * The memory for large responses that wait for their clients. If too little is left for an organisation, responses to
 * slow clients of other organisations are cut off. This affects only organisations that use more memory than this one
 * would use. So a few organisations with slow clients cannot use up the memory of all.
 *
 * <p>The lock of this object keeps other requests from taking the memory that {@link #take} has just freed.
 */
final class ResponseMemory {
    private static final int PART_OF_HEAP = 8;
    private static final int PART_FOR_ORGANIZATION = 2;

    /**
     * An organisation can use this much even if others use up the limit. A change begins only if the organisation has
     * this much left. Most responses to changes are smaller.
     */
    private static final int MIN_BYTES_FOR_ORGANIZATION = 2 << 20;

    /** A client is slow if its response still uses memory after this time. A response that is not sent yet does not count. */
    private static final long SLOW_NANOS = Duration.ofSeconds(1).toNanos();

    private final Budget<UUID> budget;
    private final long maxBytes;
    private final Runnable whenEnded;

    /** Oldest first. A response returns its memory when it is removed. */
    private final Queue<Waiting> waiting = new ConcurrentLinkedQueue<>();

    private final class Waiting {
        private final RoutingContext request;
        private final UUID organizationId;
        private final long bytes;
        private final long sinceNanos = System.nanoTime();

        private Waiting(RoutingContext request, UUID organizationId, long bytes) {
            this.request = request;
            this.organizationId = organizationId;
            this.bytes = bytes;
        }

        boolean isSlow(long nowNanos) {
            return nowNanos - sinceNanos >= SLOW_NANOS && request.response().headWritten();
        }

        /** Returns whether this call has returned the memory. */
        boolean release() {
            boolean isRemoved = waiting.remove(this);
            if (isRemoved) {
                budget.release(organizationId, bytes);
            }
            return isRemoved;
        }

        void end() {
            if (release()) {
                whenEnded.run();
                Connections.closeNow(request);
            }
        }
    }

    /** @param whenEnded runs each time a response is cut off for another organisation */
    ResponseMemory(long heapBytes, Runnable whenEnded) {
        this.maxBytes = heapBytes / PART_OF_HEAP;
        // Changes may use twice the maximum. So reads within the minimum may only use one and a half times the maximum.
        this.budget = new Budget<>(
                maxBytes / PART_FOR_ORGANIZATION, maxBytes, MIN_BYTES_FOR_ORGANIZATION, maxBytes + maxBytes / 2);
        this.whenEnded = whenEnded;
    }

    /** Takes memory until the client has the response. Returns false if there is too little. */
    synchronized boolean take(RoutingContext request, Place place, UUID organizationId, long bytes) {
        if (!budget.take(organizationId, bytes)) {
            if (request.response().closed()) {
                return false;
            }
            makeRoom(organizationId, bytes, budget.maxInAll(budget.used(organizationId) + bytes));
            if (!budget.take(organizationId, bytes)) {
                return false;
            }
        }
        add(request, place, organizationId, bytes);
        return true;
    }

    /** Takes memory even if there is too little. */
    synchronized void force(RoutingContext request, Place place, UUID organizationId, long bytes) {
        budget.force(organizationId, bytes);
        add(request, place, organizationId, bytes);
    }

    private void add(RoutingContext request, Place place, UUID organizationId, long bytes) {
        var response = new Waiting(request, organizationId, bytes);
        waiting.add(response);
        place.whenClosed(response::release);
    }

    /** Makes room for the response to a change, which cannot be rejected later. Returns false if there is too little. */
    boolean makeRoomForChange(UUID organizationId) {
        return makeRoomInPart(organizationId, MIN_BYTES_FOR_ORGANIZATION);
    }

    /** Makes room for a large page. Returns false if there is too little. */
    boolean makeRoomForPage(UUID organizationId) {
        return makeRoomInPart(organizationId, budget.perHolder() / 2);
    }

    private synchronized boolean makeRoomInPart(UUID organizationId, long bytes) {
        if (!budget.hasRoom(organizationId, bytes)) {
            makeRoom(organizationId, bytes, 2 * maxBytes);
        }
        return budget.hasRoom(organizationId, bytes);
    }

    /** Makes room for a large response beside those of others. Returns false if there is too little. */
    synchronized boolean makeRoomBesideOthers(UUID organizationId, long bytes) {
        if (!budget.hasRoomBesideOthers(organizationId, bytes)) {
            makeRoom(organizationId, bytes, maxBytes);
        }
        return budget.hasRoomBesideOthers(organizationId, bytes);
    }

    /**
     * Cuts off the oldest responses to slow clients of organisations that use more, until the bytes fit. Cuts off none if
     * they would still not fit, or if they do not fit into the organisation's own part.
     *
     * @param max the maximum of all organisations together
     */
    private void makeRoom(UUID organizationId, long bytes, long max) {
        long used = budget.used(organizationId);
        if (used > 0 && used + bytes > budget.perHolder()) {
            return;
        }
        long missing = budget.usedInAll() + bytes - max;
        long nowNanos = System.nanoTime();
        var usedByOthers = new HashMap<UUID, Long>();
        var ends = new ArrayList<Waiting>();
        for (var each : waiting) {
            long usedByOther = usedByOthers.computeIfAbsent(each.organizationId, budget::used);
            if (missing > 0 && usedByOther > used + bytes && each.isSlow(nowNanos)) {
                usedByOthers.put(each.organizationId, usedByOther - each.bytes);
                missing -= each.bytes;
                ends.add(each);
            }
        }
        if (missing <= 0) {
            ends.forEach(Waiting::end);
        }
    }
}
