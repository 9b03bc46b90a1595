package dev.okr.access.limits;

import dev.okr.platform.http.Connections;
import io.vertx.ext.web.RoutingContext;
import java.util.Comparator;
import java.util.Optional;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.BooleanSupplier;

/**
 * The memory for large responses that wait for their clients. If too little is left for an organisation, the oldest
 * response of the organisation with the most memory ends, and its client loses the connection. That organisation must
 * use more than the other one would. So clients that read slowly cannot use up the memory of other organisations.
 */
final class ResponseMemory {
    /** An organisation can use this much even if others use up the limit. Most responses to changes are smaller. */
    static final int MIN_BYTES_FOR_ORGANIZATION = 2 << 20;

    private static final int PART_OF_HEAP = 8;
    private static final int PART_FOR_ORGANIZATION = 2;

    private final Budget<UUID> budget;

    /** Oldest first. A response returns its memory when it is removed. */
    private final Queue<Waiting> waiting = new ConcurrentLinkedQueue<>();

    private final class Waiting {
        private final RoutingContext request;
        private final UUID organizationId;
        private final long bytes;

        private Waiting(RoutingContext request, UUID organizationId, long bytes) {
            this.request = request;
            this.organizationId = organizationId;
            this.bytes = bytes;
        }

        long usedByOrganization() {
            return budget.used(organizationId);
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
                Connections.closeNow(request);
            }
        }
    }

    ResponseMemory(long heapBytes) {
        long maxBytes = heapBytes / PART_OF_HEAP;
        // Changes may use twice the maximum, so the minimum of organisations that only read ends before that.
        budget = new Budget<>(
                maxBytes / PART_FOR_ORGANIZATION, maxBytes, MIN_BYTES_FOR_ORGANIZATION, maxBytes + maxBytes / 2);
    }

    /** Takes memory until the client has the response. Returns false if there is too little. */
    boolean take(RoutingContext request, Place place, UUID organizationId, long bytes) {
        boolean isTaken = makeRoom(organizationId, bytes, () -> budget.take(organizationId, bytes));
        if (isTaken) {
            add(request, place, organizationId, bytes);
        }
        return isTaken;
    }

    /** Takes memory even if there is too little. */
    void force(RoutingContext request, Place place, UUID organizationId, long bytes) {
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

    private boolean makeRoomInPart(UUID organizationId, long bytes) {
        return makeRoom(organizationId, bytes, () -> budget.hasRoom(organizationId, bytes));
    }

    /** Makes room for a large response beside those of others. Returns false if there is too little. */
    boolean makeRoomBesideOthers(UUID organizationId, long bytes) {
        return makeRoom(organizationId, bytes, () -> budget.hasRoomBesideOthers(organizationId, bytes));
    }

    /** Ends responses of others until there is room. */
    private boolean makeRoom(UUID organizationId, long bytes, BooleanSupplier hasRoom) {
        while (!hasRoom.getAsBoolean()) {
            long needed = budget.used(organizationId) + bytes;
            var next = nextToEnd(needed);
            // If the organisation has used up its own part, it does not help to end responses of others.
            if (needed > budget.perHolder() || next.isEmpty()) {
                return false;
            }
            next.get().end();
        }
        return true;
    }

    /** The oldest response of the organisation with the most memory, if it uses more than a number of bytes. */
    private Optional<Waiting> nextToEnd(long bytes) {
        return waiting.stream()
                .max(Comparator.comparingLong(Waiting::usedByOrganization))
                .filter(next -> next.usedByOrganization() > bytes);
    }
}
