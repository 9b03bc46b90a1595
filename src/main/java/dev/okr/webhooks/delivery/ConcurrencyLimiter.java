package dev.okr.webhooks.delivery;

import dev.okr.webhooks.delivery.DeliveryQueue.EndpointQueue;
import dev.okr.webhooks.delivery.DeliveryQueue.Share;
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
 * Who may be attempted next on this replica: a limit for all attempts, a limit for each webhook, and shares such that
 * webhooks that answer late or never leave room for the others.
 *
 * <ul>
 *   <li>No lane gets more than a {@value #FAIR_FRACTION}th of the free slots at once, so the last ones go out in ones.
 *   <li>Lanes that fail or hang share half of all slots; one that fails gets a single slot.
 *   <li>A lane that answers promptly is given some deliveries ahead, so that its slots need not wait for the queue;
 *       altogether no more than there are slots.
 * </ul>
 *
 * It is a plain state machine, told the time; all methods may be called by any thread.
 */
final class ConcurrencyLimiter {
    /** An attempt under way for longer makes its lane a slow one. */
    static final Duration PROMPT = Duration.ofSeconds(1);

    /**
     * What waits here for longer is handed back: its webhook may have been deactivated meanwhile, and the lease must
     * still cover a whole attempt when it begins.
     */
    static final Duration MAX_WAIT = Duration.ofSeconds(1);

    private static final int FAIR_FRACTION = 64;
    static final int AHEAD_PER_SLOT = 8;

    private final int total;
    private final int perLane;
    private final Map<UUID, EndpointState> lanes = new HashMap<>();
    private int inFlight;

    ConcurrencyLimiter(int total, int perLane) {
        this.total = total;
        this.perLane = perLane;
    }

    /** What this replica has claimed of a lane. */
    private static final class EndpointState {
        private final SequencedMap<UUID, InFlight> inFlight = new LinkedHashMap<>();
        private final ArrayDeque<ClaimedDelivery> waiting = new ArrayDeque<>();
        private boolean prompt;
        private boolean failing;

        boolean isSlow(Instant now) {
            var oldest = inFlight.firstEntry();
            return oldest != null && oldest.getValue().startedAt().plus(PROMPT).isBefore(now);
        }

        boolean isSuspect(Instant now) {
            return failing || isSlow(now);
        }
    }

    private record InFlight(ClaimedDelivery delivery, Instant startedAt) {}

    /** How much of each lane to claim now; lanes that get nothing are left out. */
    synchronized List<Share> shares(List<EndpointQueue> ready, Instant now) {
        // Remembered until their attempts end: those that are claimed now count when the next shares are asked for.
        ready.forEach(
                lane -> lanes.computeIfAbsent(lane.webhookId(), key -> new EndpointState()).failing = lane.failing());
        int free = total - inFlight;
        int suspectFree = total / 2 - suspects(now);
        int aheadFree = total - waiting();
        var shares = new ArrayList<Share>();
        for (var lane : ready) {
            var state = Objects.requireNonNull(lanes.get(lane.webhookId()));
            boolean suspect = state.isSuspect(now);
            int limit = lane.failing() ? 1 : perLane;
            int slots = Math.min(limit - state.inFlight.size(), Math.max(1, free / FAIR_FRACTION));
            slots = Math.max(0, Math.min(slots, suspect ? Math.min(free, suspectFree) : free));
            int ahead = suspect || !state.prompt ? 0 : perLane * AHEAD_PER_SLOT - state.waiting.size();
            ahead = Math.max(0, Math.min(ahead, aheadFree));
            if (slots + ahead > 0) {
                shares.add(new Share(lane, slots + ahead));
                free -= slots;
                suspectFree -= suspect ? slots : 0;
                aheadFree -= ahead;
            }
        }
        return shares;
    }

    /** Takes over what was claimed, and returns what of it to attempt at once; the rest waits for its lane. */
    synchronized List<ClaimedDelivery> admit(List<ClaimedDelivery> claimed, Instant now) {
        var starting = new ArrayList<ClaimedDelivery>();
        for (var delivery : claimed) {
            var state = lanes.computeIfAbsent(delivery.webhookId(), key -> new EndpointState());
            if (state.inFlight.size() < perLane && inFlight < total) {
                start(state, delivery, now);
                starting.add(delivery);
            } else {
                state.waiting.add(delivery);
            }
        }
        return starting;
    }

    /** Whether there is not a single slot free. */
    synchronized boolean isFull() {
        return inFlight >= total;
    }

    /** Ends an attempt, and returns what to attempt in its place, if there is anything. */
    synchronized Optional<ClaimedDelivery> end(ClaimedDelivery delivery, boolean success, Instant now) {
        var state = lanes.get(delivery.webhookId());
        var ended = state == null ? null : state.inFlight.remove(delivery.id());
        if (state == null || ended == null) {
            return Optional.empty();
        }
        inFlight--;
        state.prompt = success && !ended.startedAt().plus(PROMPT).isBefore(now);
        var next = state.waiting.peek();
        if (next != null && !isStale(next, now)) {
            state.waiting.remove();
            start(state, next, now);
            return Optional.of(next);
        }
        return Optional.empty();
    }

    /** Whether a lane that answers promptly has used up half of what it was given ahead, and should be given more. */
    synchronized boolean isRunningLow(ClaimedDelivery delivery) {
        var state = lanes.get(delivery.webhookId());
        return state != null && state.prompt && state.waiting.size() == perLane * AHEAD_PER_SLOT / 2;
    }

    /** Takes out what has waited too long, and forgets lanes that are idle: not at once, or none were known as prompt. */
    synchronized List<ClaimedDelivery> takeStale(Instant now) {
        var stale = new ArrayList<ClaimedDelivery>();
        lanes.values().forEach(state -> {
            while (!state.waiting.isEmpty() && isStale(state.waiting.peek(), now)) {
                stale.add(state.waiting.remove());
            }
        });
        lanes.entrySet().removeIf(lane -> isIdle(lane.getValue()));
        return stale;
    }

    /** Takes out all that waits, for good. */
    synchronized List<ClaimedDelivery> takeWaiting() {
        var waiting = new ArrayList<ClaimedDelivery>();
        lanes.values().forEach(state -> {
            waiting.addAll(state.waiting);
            state.waiting.clear();
        });
        return waiting;
    }

    /** What is being attempted. */
    synchronized Collection<ClaimedDelivery> inFlight() {
        return lanes.values().stream()
                .flatMap(state -> state.inFlight.values().stream())
                .map(InFlight::delivery)
                .toList();
    }

    private int waiting() {
        return lanes.values().stream().mapToInt(state -> state.waiting.size()).sum();
    }

    private int suspects(Instant now) {
        return lanes.values().stream()
                .filter(state -> state.isSuspect(now))
                .mapToInt(state -> state.inFlight.size())
                .sum();
    }

    private void start(EndpointState state, ClaimedDelivery delivery, Instant now) {
        state.inFlight.put(delivery.id(), new InFlight(delivery, now));
        inFlight++;
    }

    private static boolean isStale(ClaimedDelivery delivery, Instant now) {
        return delivery.claimedAt().plus(MAX_WAIT).isBefore(now);
    }

    private static boolean isIdle(EndpointState state) {
        return state.inFlight.isEmpty() && state.waiting.isEmpty();
    }
}
