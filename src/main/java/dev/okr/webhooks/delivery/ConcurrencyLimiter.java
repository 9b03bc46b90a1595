package dev.okr.webhooks.delivery;

import dev.okr.webhooks.delivery.DeliveryQueue.ClaimRequest;
import dev.okr.webhooks.delivery.DeliveryQueue.EndpointQueue;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.UUID;

/**
 * Limits concurrent attempts on this replica, in total and for each endpoint, and divides free slots fairly.
 * <ul>
 * <li>Each allocation gives an endpoint at most 1/{@value #FAIR_FRACTION} of the free slots, or one slot if that is
 *   more.
 * <li>Endpoints that are slow or failing together get at most half of all slots. A failing endpoint gets at most one
 *   slot.
 * <li>A responsive endpoint may prefetch deliveries, so that its slots need not wait for the next claim. All prefetched
 *   deliveries together are limited to the total number of slots.
 * </ul>
 *
 * <p>Callers pass the current time. The methods are thread-safe.
 */
final class ConcurrencyLimiter {
    /** An endpoint is slow while its oldest attempt has been running for longer than this. */
    static final Duration SLOW_AFTER = Duration.ofSeconds(1);

    /**
     * The maximum time that a prefetched delivery waits. After this time it is released, because the webhook may have
     * been deactivated and the lease must cover a whole attempt.
     */
    static final Duration MAX_PREFETCH_WAIT = Duration.ofSeconds(1);

    private static final int FAIR_FRACTION = 64;
    static final int PREFETCH_PER_SLOT = 8;

    private final int maxTotal;
    private final int maxPerEndpoint;
    private final Map<UUID, EndpointState> endpoints = new HashMap<>();
    private int inFlight;

    ConcurrencyLimiter(int maxTotal, int maxPerEndpoint) {
        this.maxTotal = maxTotal;
        this.maxPerEndpoint = maxPerEndpoint;
    }

    /** The deliveries that this replica has claimed for an endpoint. */
    private static final class EndpointState {
        private final SequencedMap<UUID, InFlight> inFlight = new LinkedHashMap<>();
        private final ArrayDeque<ClaimedDelivery> waiting = new ArrayDeque<>();
        private boolean responsive;
        private boolean failing;

        boolean isSlow(Instant now) {
            var oldest = inFlight.firstEntry();
            return oldest != null
                    && oldest.getValue().startedAt().plus(SLOW_AFTER).isBefore(now);
        }

        boolean isUnhealthy(Instant now) {
            return failing || isSlow(now);
        }
    }

    private record InFlight(ClaimedDelivery delivery, Instant startedAt) {}

    /** Decides how many deliveries to claim for each endpoint. Endpoints that get none are omitted. */
    synchronized List<ClaimRequest> allocate(List<EndpointQueue> ready, Instant now) {
        // The flags are set first, because unhealthyInFlight reads them. An endpoint without ready deliveries keeps its
        // last flag.
        ready.forEach(queue ->
                endpoints.computeIfAbsent(queue.webhookId(), key -> new EndpointState()).failing = queue.failing());
        int free = maxTotal - inFlight;
        int unhealthyFree = maxTotal / 2 - unhealthyInFlight(now);
        int prefetchFree = maxTotal - waiting();
        var requests = new ArrayList<ClaimRequest>();
        for (var queue : ready) {
            var state = Objects.requireNonNull(endpoints.get(queue.webhookId()));
            boolean unhealthy = state.isUnhealthy(now);
            int limit = queue.failing() ? 1 : maxPerEndpoint;
            int slots = Math.min(limit - state.inFlight.size(), Math.max(1, free / FAIR_FRACTION));
            slots = Math.max(0, Math.min(slots, unhealthy ? Math.min(free, unhealthyFree) : free));
            int prefetch =
                    unhealthy || !state.responsive ? 0 : maxPerEndpoint * PREFETCH_PER_SLOT - state.waiting.size();
            prefetch = Math.max(0, Math.min(prefetch, prefetchFree));
            if (slots + prefetch > 0) {
                requests.add(new ClaimRequest(queue, slots + prefetch));
                free -= slots;
                unhealthyFree -= unhealthy ? slots : 0;
                prefetchFree -= prefetch;
            }
        }
        return requests;
    }

    /** Adds claimed deliveries and returns those to attempt now. The others wait for a slot of their endpoint. */
    synchronized List<ClaimedDelivery> admit(List<ClaimedDelivery> claimed, Instant now) {
        var starting = new ArrayList<ClaimedDelivery>();
        for (var delivery : claimed) {
            var state = endpoints.computeIfAbsent(delivery.webhookId(), key -> new EndpointState());
            if (state.inFlight.size() < maxPerEndpoint && inFlight < maxTotal) {
                start(state, delivery, now);
                starting.add(delivery);
            } else {
                state.waiting.add(delivery);
            }
        }
        return starting;
    }

    synchronized boolean isFull() {
        return inFlight >= maxTotal;
    }

    /** Ends an attempt and returns the next delivery for its slot, if any. */
    synchronized Optional<ClaimedDelivery> end(ClaimedDelivery delivery, boolean success, Instant now) {
        var state = endpoints.get(delivery.webhookId());
        var ended = state == null ? null : state.inFlight.remove(delivery.id());
        if (state == null || ended == null) {
            return Optional.empty();
        }
        inFlight--;
        state.responsive = success && !ended.startedAt().plus(SLOW_AFTER).isBefore(now);
        var next = state.waiting.peek();
        if (next != null && !isStale(next, now)) {
            state.waiting.remove();
            start(state, next, now);
            return Optional.of(next);
        }
        return Optional.empty();
    }

    /** Whether a responsive endpoint has exactly half of its prefetched deliveries left and should get more. */
    synchronized boolean shouldPrefetch(ClaimedDelivery delivery) {
        var state = endpoints.get(delivery.webhookId());
        return state != null && state.responsive && state.waiting.size() == maxPerEndpoint * PREFETCH_PER_SLOT / 2;
    }

    /**
     * Removes deliveries that have waited too long, and forgets idle endpoints. A forgotten endpoint gets no prefetched
     * deliveries until an attempt succeeds quickly again.
     */
    synchronized List<ClaimedDelivery> removeStale(Instant now) {
        var stale = new ArrayList<ClaimedDelivery>();
        endpoints.values().forEach(state -> {
            while (!state.waiting.isEmpty() && isStale(state.waiting.peek(), now)) {
                stale.add(state.waiting.remove());
            }
        });
        endpoints.entrySet().removeIf(entry -> isIdle(entry.getValue()));
        return stale;
    }

    /** Removes all waiting deliveries. */
    synchronized List<ClaimedDelivery> removeWaiting() {
        var waiting = new ArrayList<ClaimedDelivery>();
        endpoints.values().forEach(state -> {
            waiting.addAll(state.waiting);
            state.waiting.clear();
        });
        return waiting;
    }

    /** The deliveries that are being attempted. */
    synchronized Collection<ClaimedDelivery> inFlight() {
        return endpoints.values().stream()
                .flatMap(state -> state.inFlight.values().stream())
                .map(InFlight::delivery)
                .toList();
    }

    private int waiting() {
        return endpoints.values().stream()
                .mapToInt(state -> state.waiting.size())
                .sum();
    }

    private int unhealthyInFlight(Instant now) {
        return endpoints.values().stream()
                .filter(state -> state.isUnhealthy(now))
                .mapToInt(state -> state.inFlight.size())
                .sum();
    }

    private void start(EndpointState state, ClaimedDelivery delivery, Instant now) {
        state.inFlight.put(delivery.id(), new InFlight(delivery, now));
        inFlight++;
    }

    private static boolean isStale(ClaimedDelivery delivery, Instant now) {
        return delivery.claimedAt().plus(MAX_PREFETCH_WAIT).isBefore(now);
    }

    private static boolean isIdle(EndpointState state) {
        return state.inFlight.isEmpty() && state.waiting.isEmpty();
    }
}
