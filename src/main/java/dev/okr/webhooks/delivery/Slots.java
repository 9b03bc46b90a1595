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
import org.jspecify.annotations.Nullable;

/**
 * Limits concurrent attempts on this replica, in total and for each endpoint, and divides free slots fairly.
 * <ul>
 * <li>An attempt with a large payload uses several slots, see {@link Payload#slots()}.
 * <li>Each allocation gives an endpoint at most 1/{@value #FAIR_FRACTION} of the free slots, rounded up to whole
 *   attempts.
 * <li>An organisation gets more slots only while it uses fewer than are free. So others usually find one.
 * <li>1/{@value #RESERVED_FRACTION} of all slots is reserved for organisations that use none. Such an organisation
 *   gets one while any is free, unless its endpoint is unhealthy.
 * <li>Slow and failing endpoints are unhealthy. Together they get half of all slots, and organisations share this half
 *   in the same way. One organisation gets at most 1/{@value #UNHEALTHY_FRACTION} of all slots, of which at most
 *   1/{@value #COUNTED_FRACTION} is counted for the limit of the others, because endpoints can become slow after they got
 *   their slots. So three organisations cannot use up the half. Unhealthy endpoints get no slot if less than
 *   1/{@value #HEALTHY_FRACTION} of all slots would stay free. A failing endpoint gets at most one attempt at a time.
 * <li>A responsive endpoint may prefetch deliveries, so that its slots need not wait for the next claim. The faster it
 *   is, the more it may prefetch. All prefetched deliveries together are limited to the total number of slots.
 * </ul>
 *
 * <p>Callers pass the current time. The methods are thread-safe.
 */
final class Slots {
    /**
     * An endpoint is slow if its last attempt took longer than this. It is also slow while an attempt runs longer than
     * this.
     */
    static final Duration SLOW_AFTER = Duration.ofSeconds(1);

    /** A slow endpoint is remembered for this time after its last attempt. */
    static final Duration SLOW_KEPT = Duration.ofMinutes(1);

    /**
     * The maximum time that a prefetched delivery waits. After this time it is released, because the webhook may have
     * been deactivated and the lease must cover a whole attempt.
     */
    static final Duration MAX_PREFETCH_WAIT = Duration.ofSeconds(1);

    private static final int FAIR_FRACTION = 64;
    private static final int RESERVED_FRACTION = 16;
    private static final int UNHEALTHY_FRACTION = 4;
    private static final int COUNTED_FRACTION = 8;
    private static final int HEALTHY_FRACTION = 8;
    static final int MAX_PREFETCH_PER_SLOT = 12;

    private final int maxTotal;
    private final int maxPerEndpoint;
    private final Map<UUID, EndpointState> endpoints = new HashMap<>();

    /** The slots that each organisation uses. One that uses none is not stored. */
    private final Map<UUID, Integer> organizations = new HashMap<>();

    private int used;

    Slots(int maxTotal, int maxPerEndpoint) {
        this.maxTotal = maxTotal;
        this.maxPerEndpoint = maxPerEndpoint;
    }

    /** The deliveries that this replica has claimed for an endpoint. */
    private static final class EndpointState {
        private final SequencedMap<UUID, InFlight> inFlight = new LinkedHashMap<>();
        private final ArrayDeque<Attempt> waiting = new ArrayDeque<>();
        private final UUID organization;

        /** The slots of its last attempt. The next one probably needs as many. */
        private int perAttempt = 1;

        /**
         * How many deliveries may wait for each slot. 0 if the last attempt failed, or took more than half of
         * {@link #MAX_PREFETCH_WAIT}.
         */
        private int prefetchPerSlot;

        private boolean failing;

        /** When the last attempt ended, if it was slow. */
        private @Nullable Instant slowAt;

        EndpointState(UUID organization) {
            this.organization = organization;
        }

        boolean isSlow(Instant now) {
            var oldest = inFlight.firstEntry();
            return slowAt != null || oldest != null && oldest.getValue().isSlow(now);
        }

        boolean isUnhealthy(Instant now) {
            return failing || isSlow(now);
        }
    }

    private record InFlight(Attempt attempt, Instant startedAt) {
        boolean isSlow(Instant now) {
            return startedAt.plus(SLOW_AFTER).isBefore(now);
        }
    }

    /**
     * The end of an attempt.
     *
     * @param next the next delivery for its slot
     * @param claimMore whether the poller should search: deliveries may have waited for the slot, the endpoint should
     *     prefetch more, or a delivery must be released
     */
    record End(Optional<Attempt> next, boolean claimMore) {}

    /** How many deliveries to claim from a lane. */
    record Request(Lane lane, int deliveries) {}

    /** Decides how many deliveries to claim from each lane. Lanes that get none are omitted. */
    synchronized List<Request> allocate(List<Lane> ready, Instant now) {
        // The flag is stored, so that the next allocation counts these claims as claims of a failing endpoint.
        ready.forEach(lane ->
                endpoints.computeIfAbsent(lane.webhookId(), key -> new EndpointState(lane.organizationId())).failing =
                        lane.failing());
        int free = free();
        var unhealthyUsed = unhealthyUsed(now);
        int prefetchFree = maxTotal - waiting();
        var usedBy = new HashMap<>(organizations);
        var requests = new ArrayList<Request>();
        for (var lane : ready) {
            var state = Objects.requireNonNull(endpoints.get(lane.webhookId()));
            boolean unhealthy = state.isUnhealthy(now);
            int slots = Math.min(free, Math.max(1, free / FAIR_FRACTION));
            slots = Math.min(slots, share(usedBy.getOrDefault(lane.organizationId(), 0), free));
            slots = Math.min(slots, unhealthy ? unhealthyShare(unhealthyUsed, lane.organizationId(), free) : free);
            int attempts = Math.min(attemptsLeft(state), Math.ceilDiv(Math.max(0, slots), state.perAttempt));
            // Prefetched deliveries wait for the end of an attempt, so the endpoint must have one.
            boolean hasAttempts = attempts > 0 || !state.inFlight.isEmpty();
            int prefetch = hasAttempts ? Math.clamp(prefetchLeft(state, now), 0, Math.max(0, prefetchFree)) : 0;
            if (attempts + prefetch > 0) {
                requests.add(new Request(lane, attempts + prefetch));
                slots = attempts * state.perAttempt;
                free -= slots;
                usedBy.merge(lane.organizationId(), slots, Integer::sum);
                if (unhealthy) {
                    unhealthyUsed.merge(lane.organizationId(), slots, Integer::sum);
                }
                prefetchFree -= prefetch;
            }
        }
        return requests;
    }

    /** The webhooks that would get no slot now, although other webhooks may. */
    synchronized List<UUID> busyEndpoints(Instant now) {
        var unhealthyUsed = unhealthyUsed(now);
        int unhealthyFree = unhealthyFree(unhealthyUsed, free());
        return endpoints.entrySet().stream()
                .filter(entry -> {
                    var state = entry.getValue();
                    int unhealthySlots = unhealthyUsed.getOrDefault(state.organization, 0);
                    boolean noSlot = attemptsLeft(state) <= 0
                            || (state.isUnhealthy(now) && unhealthyShare(unhealthySlots, unhealthyFree) <= 0);
                    return noSlot && prefetchLeft(state, now) <= 0;
                })
                .map(Map.Entry::getKey)
                .toList();
    }

    /** The organisations that would get no slot now, because they use their share. */
    synchronized List<UUID> fullOrganizations() {
        return organizations.entrySet().stream()
                .filter(entry -> share(entry.getValue(), free()) <= 0)
                .map(Map.Entry::getKey)
                .toList();
    }

    /** The organisations whose failing endpoints would get no slot now. */
    synchronized List<UUID> fullOfUnhealthy(Instant now) {
        var usedBy = unhealthyUsed(now);
        return usedBy.keySet().stream()
                .filter(organization -> unhealthyShare(usedBy, organization, free()) <= 0)
                .toList();
    }

    /**
     * Whether an organisation uses at most half of the mean number of slots. The mean includes only organisations that
     * use slots.
     */
    synchronized boolean usesFew(UUID organization) {
        return 2 * organizations.getOrDefault(organization, 0) * organizations.size() <= used;
    }

    synchronized int free() {
        // An attempt may use more slots than were free.
        return Math.max(0, maxTotal - used);
    }

    /** The free slots that failing endpoints may use. */
    synchronized int freeForFailing(Instant now) {
        return Math.max(0, unhealthyFree(unhealthyUsed(now), free()));
    }

    /**
     * Adds claimed deliveries and returns those to attempt now. The others wait for a slot of their endpoint. First,
     * each endpoint gets one attempt, because its other deliveries can wait for the end of that attempt. This first
     * attempt may exceed the share of its organisation only if its payload is small. {@link #removeStuck} removes the
     * deliveries of an endpoint without an attempt.
     */
    synchronized List<Attempt> admit(List<Attempt> claimed, Instant now) {
        var starting = new ArrayList<Attempt>();
        var others = new ArrayList<Attempt>();
        for (var attempt : claimed) {
            boolean isFirst = state(attempt).inFlight.isEmpty() && free() > 0;
            if (isFirst && (slots(attempt) == 1 || hasShare(attempt))) {
                start(state(attempt), attempt, now);
                starting.add(attempt);
            } else {
                others.add(attempt);
            }
        }
        for (var attempt : others) {
            if (state(attempt).inFlight.size() < maxPerEndpoint && hasShare(attempt)) {
                start(state(attempt), attempt, now);
                starting.add(attempt);
            } else {
                state(attempt).perAttempt = slots(attempt);
                state(attempt).waiting.add(attempt);
            }
        }
        return starting;
    }

    /** Ends an attempt. */
    synchronized End end(Attempt attempt, boolean success, Instant now) {
        var state = endpoints.get(attempt.webhookId());
        if (state == null) {
            return new End(Optional.empty(), true);
        }
        // If none of these holds, the last search claimed all deliveries that were ready.
        boolean mayBeAwaited = attemptsLeft(state) <= 0
                || state.isUnhealthy(now)
                || organizations.values().stream().anyMatch(slots -> share(slots, free()) <= 0);
        boolean wasUnhealthy = state.isUnhealthy(now);
        var ended = state.inFlight.remove(attempt.deliveryId());
        if (ended == null) {
            return new End(Optional.empty(), true);
        }
        add(attempt, -slots(attempt));
        if (ended.isSlow(now)) {
            state.slowAt = now;
        } else if (success) {
            state.slowAt = null;
        }
        state.prefetchPerSlot = success ? prefetchPerSlot(Duration.between(ended.startedAt(), now)) : 0;
        var next = state.waiting.peek();
        if (next != null && !isStale(next, now) && (slots(next) <= slots(attempt) || hasShare(next))) {
            state.waiting.remove();
            start(state, next, now);
            // A healthy endpoint leaves the slots for unhealthy ones to others.
            boolean isHealthyNow = wasUnhealthy && !state.isUnhealthy(now);
            boolean more = mayBeAwaited && (slots(next) < slots(attempt) || isHealthyNow);
            return new End(Optional.of(next), more || shouldPrefetch(state));
        }
        // The poller releases a delivery that cannot start, if it is stale or its endpoint has no attempt.
        return new End(Optional.empty(), mayBeAwaited || next != null || shouldPrefetch(state));
    }

    /** Whether an endpoint has exactly half of its prefetched deliveries left and should get more. */
    private boolean shouldPrefetch(EndpointState state) {
        int half = maxPerEndpoint * state.prefetchPerSlot / 2;
        return half > 0 && state.waiting.size() == half;
    }

    /**
     * Removes deliveries that no end of an attempt will start. These have waited too long, or their endpoint has no
     * attempt.
     */
    synchronized List<Attempt> removeStuck(Instant now) {
        var stuck = new ArrayList<Attempt>();
        endpoints.values().forEach(state -> {
            while (!state.waiting.isEmpty() && (state.inFlight.isEmpty() || isStale(state.waiting.peek(), now))) {
                stuck.add(state.waiting.remove());
            }
        });
        return stuck;
    }

    /**
     * Forgets endpoints without attempts. Slow endpoints are kept for {@link #SLOW_KEPT}. A forgotten endpoint prefetches
     * nothing until an attempt succeeds quickly.
     */
    synchronized void forgetIdle(Instant now) {
        endpoints
                .values()
                .removeIf(state -> isIdle(state)
                        && (state.slowAt == null || state.slowAt.plus(SLOW_KEPT).isBefore(now)));
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

    private EndpointState state(Attempt attempt) {
        return endpoints.computeIfAbsent(attempt.webhookId(), key -> new EndpointState(attempt.organizationId()));
    }

    private int waiting() {
        return endpoints.values().stream()
                .mapToInt(state -> state.waiting.size())
                .sum();
    }

    /**
     * How many more slots an organisation may take. It may use at most as many as stay free without the reserved ones. If
     * it uses none, it gets at least one.
     */
    private int share(int used, int free) {
        int share = halfOfRest(used, free - maxTotal / RESERVED_FRACTION);
        return used == 0 && free > 0 ? Math.max(1, share) : share;
    }

    private static int halfOfRest(int used, int free) {
        return Math.ceilDiv(free - used, 2);
    }

    /** The slots that an attempt uses. It never uses so many that others find none. */
    private int slots(Attempt attempt) {
        return Math.min(attempt.payload().slots(), Math.max(1, maxTotal / 4));
    }

    /** Whether the organisation of a delivery may take more slots. */
    private boolean hasShare(Attempt attempt) {
        return share(organizations.getOrDefault(attempt.organizationId(), 0), free()) > 0;
    }

    private int attemptsLeft(EndpointState state) {
        return (state.failing ? 1 : maxPerEndpoint) - state.inFlight.size();
    }

    private int prefetchLeft(EndpointState state, Instant now) {
        return state.isUnhealthy(now) ? 0 : maxPerEndpoint * state.prefetchPerSlot - state.waiting.size();
    }

    /** The slots that unhealthy endpoints use, by organisation. */
    private Map<UUID, Integer> unhealthyUsed(Instant now) {
        var usedBy = new HashMap<UUID, Integer>();
        endpoints.values().stream()
                .filter(state -> state.isUnhealthy(now))
                .flatMap(state -> state.inFlight.values().stream())
                .map(InFlight::attempt)
                .forEach(attempt -> usedBy.merge(attempt.organizationId(), slots(attempt), Integer::sum));
        return usedBy;
    }

    /**
     * The slots of which unhealthy endpoints may take some.
     *
     * @param free the free slots for all endpoints
     */
    private int unhealthyFree(Map<UUID, Integer> unhealthyUsed, int free) {
        int counted = unhealthyUsed.values().stream()
                .mapToInt(used -> Math.min(used, Math.ceilDiv(maxTotal, COUNTED_FRACTION)))
                .sum();
        return Math.min(Math.ceilDiv(maxTotal, 2) - counted, free - maxTotal / HEALTHY_FRACTION);
    }

    private int unhealthyShare(Map<UUID, Integer> unhealthyUsed, UUID organization, int free) {
        return unhealthyShare(unhealthyUsed.getOrDefault(organization, 0), unhealthyFree(unhealthyUsed, free));
    }

    private int unhealthyShare(int used, int free) {
        return Math.min(halfOfRest(used, free), Math.ceilDiv(maxTotal, UNHEALTHY_FRACTION) - used);
    }

    private void start(EndpointState state, Attempt attempt, Instant now) {
        // If a lease expires during an attempt, this replica may claim the same delivery again.
        if (state.inFlight.put(attempt.deliveryId(), new InFlight(attempt, now)) == null) {
            add(attempt, slots(attempt));
            state.perAttempt = slots(attempt);
        }
    }

    private void add(Attempt attempt, int slots) {
        used += slots;
        organizations.merge(
                attempt.organizationId(), slots, (before, more) -> before + more == 0 ? null : before + more);
    }

    /** As many as can start within the maximum wait, if each attempt takes as long as the last one. */
    private static int prefetchPerSlot(Duration lastAttempt) {
        long attempts = MAX_PREFETCH_WAIT.toMillis() / Math.max(1, lastAttempt.toMillis());
        return Math.clamp(attempts - 1, 0, MAX_PREFETCH_PER_SLOT);
    }

    private static boolean isStale(Attempt attempt, Instant now) {
        return attempt.claimedAt().plus(MAX_PREFETCH_WAIT).isBefore(now);
    }

    private static boolean isIdle(EndpointState state) {
        return state.inFlight.isEmpty() && state.waiting.isEmpty();
    }
}
