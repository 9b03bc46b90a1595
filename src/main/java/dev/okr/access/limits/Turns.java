package dev.okr.access.limits;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Comparator;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Lets the requests of several holders take turns at the database. While no other holder is active, a holder may use
 * two thirds of the turns. While others are active, it may use half. So requests that all wait for one lock do not take
 * every turn. The next turn goes to the holder with the smallest load. The load is an exponentially weighted mean of
 * the number of running requests. So the short requests of one holder do not wait for the long requests of all others.
 *
 * <p>A request that runs cannot be interrupted. So while several holders are active, a third of the turns is kept for
 * light holders. A light holder runs nothing, has a small load, and seldom has long requests in kept turns.
 *
 * <p>Requests that are expected to be slow have their own queue and load. So if a holder searches all the time, its
 * short requests still count as light. The lock of this object guards all counts.
 *
 * @param <K> the holders
 */
final class Turns<K> {
    /** A holder counts as active for this time after its last request. */
    private static final long ACTIVE_NANOS = Duration.ofSeconds(1).toNanos();

    /** A holder is forgotten this time after its last request. With a shorter time, a pause would reset its load. */
    private static final Duration MEMORY = Duration.ofSeconds(20);

    /** The time constant of the mean. A value that is this old has the weight 1/e. It is longer than any statement. */
    private static final double LOAD_NANOS = Duration.ofSeconds(10).toNanos();

    /** A third of the turns is kept for others while one holder is active, and for light holders while several are. */
    private static final int PART_KEPT = 3;

    /** A holder with at most this load is light, even if the others have less. */
    private static final double LIGHT = 0.5;

    /** A request that runs for longer than this is long. Most requests take a few milliseconds. */
    private static final long LONG_NANOS = Duration.ofMillis(100).toNanos();

    /** A light holder may use a fortieth of the time for long requests in kept turns. */
    private static final int PART_FOR_LONG = 40;

    /** Nearly the longest statement. So a short stall of the database does not use up the time of everybody. */
    private static final Duration SAVED_FOR_LONG = Duration.ofSeconds(2);

    private final int max;
    private final int maxOfHeavy;
    private final int maxAlone;
    private final int maxBesideOthers;
    private final boolean limitsLong;
    private final long memoryNanos;
    private final LongSupplier nanoTime;

    /** Ordered by the last time that a request of the holder began or ended. */
    private final LinkedHashMap<Key<K>, Holder<K>> holders = new LinkedHashMap<>();

    /**
     * The waiting holders that run nothing, by load. There can be thousands, so they are not searched. Their loads
     * decrease at the same rate, so their order does not change.
     */
    private final SortedSet<Holder<K>> idle = newIdle();

    /** The same for holders that have used up their time for long requests. They do not get the kept turns. */
    private final SortedSet<Holder<K>> idleAfterLong = newIdle();

    /** The waiting holders that run something. There are at most {@link #max}. */
    private final Set<Holder<K>> busy = new LinkedHashSet<>();

    private long lastQueueNumber;

    /** The time above {@link #LONG_NANOS} in kept turns. */
    private final Allowance<Key<K>> longRequests = new Allowance<>(PART_FOR_LONG, SAVED_FOR_LONG);

    /** All holders together. */
    private final Load total;

    private int waiting;

    /**
     * One of the two queues of a holder.
     *
     * @param isSlow whether it is for the requests that are expected to be slow
     */
    private record Key<K>(K id, boolean isSlow) {
        Key<K> other() {
            return new Key<>(id, !isSlow);
        }
    }

    /** The number of running requests, and its mean. */
    private static class Load {
        int running;
        private double mean;
        private long sinceNanos;

        Load(long nowNanos) {
            this.sinceNanos = nowNanos;
        }

        double at(long nowNanos) {
            return running + (mean - running) * Math.exp((sinceNanos - nowNanos) / LOAD_NANOS);
        }

        /** The logarithm of the load at time 0. If nothing runs, the order by rank is the order by load at any time. */
        double rank() {
            return Math.log(mean) + sinceNanos / LOAD_NANOS;
        }

        void add(int difference, long nowNanos) {
            mean = at(nowNanos);
            sinceNanos = nowNanos;
            running += difference;
        }
    }

    private static final class Holder<K> extends Load {
        private final Key<K> key;
        private final Deque<Turn> waiting = new ArrayDeque<>();
        private final Deque<Turn> runningTurns = new ArrayDeque<>();

        /** Updated when a request of the holder begins to wait, and when one ends. */
        private boolean isAfterLong;

        private long activeNanos;
        private long queueNumber;

        private Holder(Key<K> key, long nowNanos) {
            super(nowNanos);
            this.key = key;
        }
    }

    /** Completes when its request may run. */
    private static final class Turn extends CompletableFuture<Void> {
        private final long sinceNanos;
        private final boolean isSlow;
        private long startNanos;
        private boolean isKept;

        private Turn(long sinceNanos, boolean isSlow) {
            this.sinceNanos = sinceNanos;
            this.isSlow = isSlow;
        }
    }

    /** @param max the maximum number of requests that run at the same time */
    Turns(int max) {
        this(max, MEMORY);
    }

    /** @param memory how long a holder without requests is remembered. Short if there can be very many. */
    Turns(int max, Duration memory) {
        this(max, memory, System::nanoTime);
    }

    Turns(int max, LongSupplier nanoTime) {
        this(max, MEMORY, nanoTime);
    }

    private Turns(int max, Duration memory, LongSupplier nanoTime) {
        this(Math.max(1, max), Math.max(1, max - max / PART_KEPT), Math.max(1, max / 2), true, memory, nanoTime);
    }

    /**
     * Long requests are not limited here.
     *
     * @param max the maximum number of requests that run at the same time
     * @param maxAlone the maximum of a holder while no other is active
     * @param maxBesideOthers the maximum of a holder otherwise
     */
    Turns(int max, int maxAlone, int maxBesideOthers) {
        this(max, maxAlone, maxBesideOthers, false, MEMORY, System::nanoTime);
    }

    private Turns(
            int max, int maxAlone, int maxBesideOthers, boolean limitsLong, Duration memory, LongSupplier nanoTime) {
        this.max = max;
        this.maxOfHeavy = Math.max(1, max - Math.max(1, max / PART_KEPT));
        this.maxAlone = maxAlone;
        this.maxBesideOthers = maxBesideOthers;
        this.limitsLong = limitsLong;
        this.memoryNanos = memory.toNanos();
        this.nanoTime = nanoTime;
        this.total = new Load(nanoTime.getAsLong());
    }

    /** Completes when a request may run. Each call needs one call of {@link #end}. */
    CompletableFuture<Void> begin(K id) {
        return begin(id, false);
    }

    /** @param isSlow whether the request is expected to be slow */
    CompletableFuture<Void> begin(K id, boolean isSlow) {
        return begin(new Key<>(id, isSlow), Deque::addLast);
    }

    /** Like {@link #begin}, but before the other requests of the holder. */
    CompletableFuture<Void> beginNext(K id, boolean isSlow) {
        return begin(new Key<>(id, isSlow), Deque::addFirst);
    }

    private synchronized CompletableFuture<Void> begin(Key<K> key, BiConsumer<Deque<Turn>, Turn> add) {
        long nowNanos = nanoTime.getAsLong();
        forget(nowNanos);
        var holder = holders.computeIfAbsent(key, id -> new Holder<>(id, nowNanos));
        holder.activeNanos = nowNanos;
        holders.putLast(key, holder);
        var turn = new Turn(nowNanos, key.isSlow());
        add.accept(holder.waiting, turn);
        waiting++;
        if (holder.waiting.size() == 1) {
            holder.isAfterLong = longRequests.isUsedUp(key, nowNanos);
            if (mayRun(holder, nowNanos)) {
                run(holder, nowNanos).complete(null);
            } else {
                enterQueue(holder);
            }
        }
        return turn;
    }

    private void forget(long nowNanos) {
        for (var first = holders.firstEntry(); first != null; first = holders.firstEntry()) {
            var holder = first.getValue();
            if (holder.running > 0 || !holder.waiting.isEmpty() || nowNanos - holder.activeNanos < memoryNanos) {
                return;
            }
            holders.pollFirstEntry();
        }
    }

    /** Ends the request that runs. The holder must have only one. */
    void end(K id) {
        end(id, null);
    }

    /** Ends a request that has run, or that no longer waits. */
    void end(K id, @Nullable CompletableFuture<Void> turn) {
        // Completed outside the lock, because it resumes a request.
        for (var next = ended(id, turn); next != null; next = next()) {
            next.complete(null);
        }
    }

    /** Lets requests run that may run now because time has passed. Call it periodically. */
    void advance() {
        for (var next = next(); next != null; next = next()) {
            next.complete(null);
        }
    }

    /**
     * Fails the requests that have waited for at least this time. Call it periodically. A timer for each request would
     * cost more than its turn.
     */
    void expire(Duration maxWait) {
        late(maxWait.toNanos()).forEach(turn -> turn.completeExceptionally(new TimeoutException()));
        advance();
    }

    private synchronized List<Turn> late(long maxNanos) {
        long nowNanos = nanoTime.getAsLong();
        return holders.values().stream()
                .flatMap(holder -> holder.waiting.stream())
                .filter(turn -> nowNanos - turn.sinceNanos >= maxNanos)
                .toList();
    }

    private synchronized @Nullable CompletableFuture<Void> ended(K id, @Nullable CompletableFuture<Void> turn) {
        var holder = holders.get(new Key<>(id, turn instanceof Turn own && own.isSlow));
        if (holder == null) {
            return null;
        }
        long nowNanos = nanoTime.getAsLong();
        holder.activeNanos = nowNanos;
        holders.putLast(holder.key, holder);
        leaveQueue(holder);
        if (holder.waiting.remove(turn)) {
            waiting--;
        } else {
            holder.runningTurns.stream()
                    .filter(run -> turn == null || run == turn)
                    .findFirst()
                    .ifPresent(run -> stop(run, holder, nowNanos));
        }
        holder.isAfterLong = longRequests.isUsedUp(holder.key, nowNanos);
        enterQueue(holder);
        return next();
    }

    private void stop(Turn turn, Holder<K> holder, long nowNanos) {
        holder.runningTurns.remove(turn);
        add(-1, holder, nowNanos);
        long tooLongNanos = nowNanos - turn.startNanos - LONG_NANOS;
        if (turn.isKept && tooLongNanos > 0) {
            longRequests.use(holder.key, tooLongNanos, nowNanos);
        }
    }

    /** The next request that may run. */
    private synchronized @Nullable CompletableFuture<Void> next() {
        if (waiting == 0) {
            return null;
        }
        long nowNanos = nanoTime.getAsLong();
        forget(nowNanos);
        return Stream.of(idle.stream().limit(1), idleAfterLong.stream().limit(1), busy.stream())
                .flatMap(each -> each)
                .filter(each -> mayRun(each, nowNanos))
                .min(Comparator.<Holder<K>>comparingDouble(each -> each.at(nowNanos))
                        .thenComparingInt(each -> each.running))
                .map(each -> run(each, nowNanos))
                .orElse(null);
    }

    private CompletableFuture<Void> run(Holder<K> holder, long nowNanos) {
        leaveQueue(holder);
        add(1, holder, nowNanos);
        waiting--;
        var turn = holder.waiting.remove();
        turn.startNanos = nowNanos;
        // A holder that runs alone uses no kept turn.
        turn.isKept = limitsLong && total.running > maxOfHeavy && total.running > holder.running;
        holder.runningTurns.add(turn);
        enterQueue(holder);
        return turn;
    }

    private void enterQueue(Holder<K> holder) {
        if (!holder.waiting.isEmpty()) {
            holder.queueNumber = ++lastQueueNumber;
            queue(holder).add(holder);
        }
    }

    /** Must be called before the load of a waiting holder changes, or its queue. */
    private void leaveQueue(Holder<K> holder) {
        queue(holder).remove(holder);
    }

    private Collection<Holder<K>> queue(Holder<K> holder) {
        if (holder.running > 0) {
            return busy;
        }
        return holder.isAfterLong ? idleAfterLong : idle;
    }

    private static <K> SortedSet<Holder<K>> newIdle() {
        return new TreeSet<>(
                Comparator.<Holder<K>>comparingDouble(Load::rank).thenComparingLong(holder -> holder.queueNumber));
    }

    private void add(int difference, Holder<K> holder, long nowNanos) {
        holder.add(difference, nowNanos);
        total.add(difference, nowNanos);
    }

    private boolean mayRun(Holder<K> holder, long nowNanos) {
        if (isAlone(holder, nowNanos)) {
            return total.running < maxAlone;
        }
        return total.running < (isLight(holder, nowNanos) ? max : maxOfHeavy) && holder.running < maxBesideOthers;
    }

    /** Whether only this holder is active, with both of its queues. */
    private boolean isAlone(Holder<K> holder, long nowNanos) {
        var other = holders.get(holder.key.other());
        int ownRunning = holder.running + (other == null ? 0 : other.running);
        int ownWaiting = holder.waiting.size() + (other == null ? 0 : other.waiting.size());
        return total.running == ownRunning
                && waiting == ownWaiting
                && holders.sequencedValues().reversed().stream()
                        .filter(each -> each != holder && each != other)
                        .findFirst()
                        .filter(each -> nowNanos - each.activeNanos < ACTIVE_NANOS)
                        .isEmpty();
    }

    private boolean isLight(Holder<K> holder, long nowNanos) {
        double mean = total.at(nowNanos) / holders.size();
        return holder.running == 0 && !holder.isAfterLong && holder.at(nowNanos) <= Math.max(LIGHT, mean / 2);
    }
}
