package dev.okr.webhooks.delivery;

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
final class Slots {
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

    Slots(int maxTotal, int maxPerEndpoint) {
        this.maxTotal = maxTotal;
        this.maxPerEndpoint = maxPerEndpoint;
    }

    /** The deliveries that this replica has claimed for an endpoint. */
    private static final class EndpointState {
        private final SequencedMap<UUID, InFlight> inFlight = new LinkedHashMap<>();
        private final ArrayDeque<Attempt> waiting = new ArrayDeque<>();
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

    private record InFlight(Attempt attempt, Instant startedAt) {}

    /** How many deliveries to claim from a lane. */
    record Request(Lane lane, int deliveries) {}

    /** Decides how many deliveries to claim from each lane. Lanes that get none are omitted. */
    synchronized List<Request> allocate(List<Lane> ready, Instant now) {
        // The flag is stored, so that the next allocation counts these claims as claims of a failing endpoint.
        ready.forEach(lane ->
                endpoints.computeIfAbsent(lane.webhookId(), key -> new EndpointState()).failing = lane.failing());
        int free = free();
        int unhealthyFree = unhealthyFree(now);
        int prefetchFree = maxTotal - waiting();
        var requests = new ArrayList<Request>();
        for (var lane : ready) {
            var state = Objects.requireNonNull(endpoints.get(lane.webhookId()));
            boolean unhealthy = state.isUnhealthy(now);
            int slots = Math.min(slotsLeft(state), Math.max(1, free / FAIR_FRACTION));
            slots = Math.max(0, Math.min(slots, unhealthy ? Math.min(free, unhealthyFree) : free));
            int prefetch = Math.clamp(prefetchLeft(state, now), 0, Math.max(0, prefetchFree));
            if (slots + prefetch > 0) {
                requests.add(new Request(lane, slots + prefetch));
                free -= slots;
                unhealthyFree -= unhealthy ? slots : 0;
                prefetchFree -= prefetch;
            }
        }
        return requests;
    }

    /** The webhooks that would get no slot now, although other webhooks may. */
    synchronized List<UUID> busyEndpoints(Instant now) {
        boolean unhealthyFull = unhealthyFree(now) <= 0;
        return endpoints.entrySet().stream()
                .filter(entry -> {
                    var state = entry.getValue();
                    boolean noSlot = slotsLeft(state) <= 0 || (unhealthyFull && state.isUnhealthy(now));
                    return noSlot && prefetchLeft(state, now) <= 0;
                })
                .map(Map.Entry::getKey)
                .toList();
    }

    synchronized int free() {
        return maxTotal - inFlight;
    }

    /** The free slots that failing endpoints may use. */
    synchronized int freeForFailing(Instant now) {
        return Math.max(0, Math.min(free(), unhealthyFree(now)));
    }

    /** Adds claimed deliveries and returns those to attempt now. The others wait for a slot of their endpoint. */
    synchronized List<Attempt> admit(List<Attempt> claimed, Instant now) {
        var starting = new ArrayList<Attempt>();
        for (var attempt : claimed) {
            var state = endpoints.computeIfAbsent(attempt.webhookId(), key -> new EndpointState());
            if (state.inFlight.size() < maxPerEndpoint && inFlight < maxTotal) {
                start(state, attempt, now);
                starting.add(attempt);
            } else {
                state.waiting.add(attempt);
            }
        }
        return starting;
    }

    /** Ends an attempt and returns the next delivery for its slot, if any. */
    synchronized Optional<Attempt> end(Attempt attempt, boolean success, Instant now) {
        var state = endpoints.get(attempt.webhookId());
        var ended = state == null ? null : state.inFlight.remove(attempt.deliveryId());
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
    synchronized boolean shouldPrefetch(Attempt attempt) {
        var state = endpoints.get(attempt.webhookId());
        return state != null && state.responsive && state.waiting.size() == maxPerEndpoint * PREFETCH_PER_SLOT / 2;
    }

    /**
     * Removes deliveries that have waited too long, and forgets idle endpoints. A forgotten endpoint gets no prefetched
     * deliveries until an attempt succeeds quickly again.
     */
    synchronized List<Attempt> removeStale(Instant now) {
        var stale = new ArrayList<Attempt>();
        endpoints.values().forEach(state -> {
            while (!state.waiting.isEmpty() && isStale(state.waiting.peek(), now)) {
                stale.add(state.waiting.remove());
            }
        });
        endpoints.entrySet().removeIf(entry -> isIdle(entry.getValue()));
        return stale;
    }

    /** Removes all waiting deliveries. */
    synchronized List<Attempt> removeWaiting() {
        var waiting = new ArrayList<Attempt>();
        endpoints.values().forEach(state -> {
            waiting.addAll(state.waiting);
            state.waiting.clear();
        });
        return waiting;
    }

    /** The deliveries that are being attempted. */
    synchronized Collection<Attempt> inFlight() {
        return endpoints.values().stream()
                .flatMap(state -> state.inFlight.values().stream())
                .map(InFlight::attempt)
                .toList();
    }

    private int waiting() {
        return endpoints.values().stream()
                .mapToInt(state -> state.waiting.size())
                .sum();
    }

    private int slotsLeft(EndpointState state) {
        return (state.failing ? 1 : maxPerEndpoint) - state.inFlight.size();
    }

    private int prefetchLeft(EndpointState state, Instant now) {
        boolean allowed = state.responsive && !state.isUnhealthy(now);
        return allowed ? maxPerEndpoint * PREFETCH_PER_SLOT - state.waiting.size() : 0;
    }

    private int unhealthyFree(Instant now) {
        int unhealthy = endpoints.values().stream()
                .filter(state -> state.isUnhealthy(now))
                .mapToInt(state -> state.inFlight.size())
                .sum();
        return maxTotal / 2 - unhealthy;
    }

    private void start(EndpointState state, Attempt attempt, Instant now) {
        // If a lease expires during an attempt, this replica may claim the same delivery again.
        if (state.inFlight.put(attempt.deliveryId(), new InFlight(attempt, now)) == null) {
            inFlight++;
        }
    }

    private static boolean isStale(Attempt attempt, Instant now) {
        return attempt.claimedAt().plus(MAX_PREFETCH_WAIT).isBefore(now);
    }

    private static boolean isIdle(EndpointState state) {
        return state.inFlight.isEmpty() && state.waiting.isEmpty();
    }
}
