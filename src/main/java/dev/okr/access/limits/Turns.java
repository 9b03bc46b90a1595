package dev.okr.access.limits;

import dev.okr.access.limits.TurnQueue.Kind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Lets the requests of several holders take turns at the database. While no other holder is active, a holder may use
 * two thirds of the turns. While others are active, it may use half. So requests that all wait for one lock do not take
 * every turn. The next turn goes to the holder with the smallest load. The load is an exponentially weighted mean of
 * the number of running requests. So the short requests of one holder do not wait for the long requests of all others.
 *
 * <p>A request that runs cannot be interrupted. So while several holders are active, a heavy request begins only if
 * heavy requests then use at most a third of the turns. Three kinds of requests are exempt: the only request of a
 * holder, if a third of the turns stays free, the only slow request, and those of {@link #beginNext}.
 *
 * <p>The other turns are kept for queues with short requests and for light queues. A light queue runs nothing and has a
 * small load. A holder that has used up its time for long requests in kept turns cannot use kept turns. A request that
 * may not use kept turns is heavy. A request that has become long is heavy too.
 *
 * <p>The last turn is only for holders that run nothing. In the rest of the last third of the turns, a holder begins a
 * request only if it runs at most one.
 *
 * <p>Each holder has two queues, each with its own load. One is for requests that are expected to be slow. They are
 * heavy. So a holder that searches all the time can still use the kept turns for its other requests. A request is also
 * expected to be slow if others of the same operation were long recently.
 *
 * <p>The lock of this object guards all counts.
 *
 * @param <K> the holders
 */
final class Turns<K> {
    /** A holder counts as active for this time after its last request began or ended. */
    private static final long ACTIVE_NANOS = Duration.ofSeconds(1).toNanos();

    /** A holder is forgotten this time after its last request. With a shorter time, a pause would reset its load. */
    private static final Duration MEMORY = Duration.ofSeconds(20);

    /** A holder that is alone leaves the last third of the turns free. A holder that runs something can use little of it. */
    private static final int PART_LAST = 3;

    /** While several holders are active, heavy requests use at most a third of the turns. */
    private static final int PART_FOR_HEAVY = 3;

    /** A queue that runs nothing and has at most this load is light, even if the others have less. */
    private static final double LIGHT = 0.5;

    /**
     * A request that runs for longer than this is long. Most requests take a few milliseconds. A garbage collection can
     * add a few hundred.
     */
    static final long LONG_NANOS = Duration.ofMillis(500).toNanos();

    /** Long enough to find an operation that is long only sometimes. */
    private static final long MEMORY_OF_LONG_NANOS = Duration.ofSeconds(20).toNanos();

    /** A holder may use a fortieth of the time for long requests in kept turns. */
    private static final int PART_FOR_LONG = 40;

    /**
     * The longest time that a holder can save. It is nearly as long as the longest statement. So a short stall of the
     * database does not use up the time of every holder.
     */
    private static final Duration SAVED_FOR_LONG = Duration.ofSeconds(2);

    private final int max;
    private final int maxHeavy;

    /**
     * All but the last third of the turns. While at least this many requests run, a holder begins a request only if it
     * runs at most one. While fewer run, a holder that runs nothing may begin even a heavy request.
     */
    private final int maxOfBusy;

    private final int maxAlone;
    private final int maxBesideOthers;
    private final boolean limitsLong;
    private final long memoryNanos;
    private final LongSupplier nanoTime;

    /** Ordered by the last time that a request of the holder began or ended. */
    private final LinkedHashMap<K, Holder<K>> holders = new LinkedHashMap<>();

    /**
     * The queues that wait and run nothing, by load. There can be thousands, so they are not searched. Their loads
     * decrease at the same rate, so the order in a set does not change.
     */
    private final Map<Kind, SortedSet<TurnQueue<K>>> idle = new EnumMap<>(
            Map.of(Kind.SHORT, newIdle(), Kind.OTHER, newIdle(), Kind.AFTER_LONG, newIdle(), Kind.SLOW, newIdle()));

    /** The queues that wait and run something, or whose first request is one of {@link #beginNext}. There are only a few. */
    private final Set<TurnQueue<K>> busy = new LinkedHashSet<>();

    private long lastQueueNumber;

    /** The time above {@link #LONG_NANOS} in kept turns. */
    private final Allowance<K> longRequests = new Allowance<>(PART_FOR_LONG, SAVED_FOR_LONG);

    /** All holders together. */
    private final MeanLoad total;

    private int waiting;

    /** The number of running requests that were expected to be slow. */
    private int runningSlow;

    /** There are only a few. */
    private final List<Turn> runningTurns = new ArrayList<>();

    static final class Holder<K> {
        private final K id;
        private final TurnQueue<K> quick;
        private final TurnQueue<K> slow;

        /** When the last long request of each operation ended. */
        private final Map<Object, Long> longEnds = new HashMap<>();

        /** The time until which each operation is expected to be slow. */
        private final Map<Object, Long> slowUntil = new HashMap<>();

        private long activeNanos;

        private Holder(K id, long nowNanos) {
            this.id = id;
            this.quick = new TurnQueue<>(this, false, nowNanos);
            this.slow = new TurnQueue<>(this, true, nowNanos);
        }

        TurnQueue<K> queue(boolean isSlow) {
            return isSlow ? slow : quick;
        }

        boolean isSlow(@Nullable Object operation, long nowNanos) {
            var untilNanos = slowUntil.get(operation);
            return untilNanos != null && nowNanos - untilNanos < 0;
        }

        /** A second long request must begin after the first. So one stall of the database makes no operation slow. */
        void learn(Object operation, long startNanos, long nowNanos) {
            var lastNanos = longEnds.put(operation, nowNanos);
            if (lastNanos != null && startNanos - lastNanos >= 0 && nowNanos - lastNanos < MEMORY_OF_LONG_NANOS) {
                slowUntil.put(operation, nowNanos + MEMORY_OF_LONG_NANOS);
            }
        }

        int running() {
            return quick.running + slow.running;
        }

        int waiting() {
            return quick.waiting.size() + slow.waiting.size();
        }
    }

    /** Completes when its request may run. */
    static final class Turn extends CompletableFuture<Void> {
        private final long sinceNanos;
        private final @Nullable Object operation;
        private final boolean isSlow;
        final boolean isNext;
        private long startNanos;
        private boolean usesKept;
        private boolean isCharged;

        private Turn(long sinceNanos, @Nullable Object operation, boolean isSlow, boolean isNext) {
            this.sinceNanos = sinceNanos;
            this.operation = operation;
            this.isSlow = isSlow;
            this.isNext = isNext;
        }

        private boolean isLong(long nowNanos) {
            return nowNanos - startNanos > LONG_NANOS;
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
        this(Math.max(1, max), Math.max(1, max - max / PART_LAST), Math.max(1, max / 2), true, memory, nanoTime);
    }

    /**
     * Long requests are not limited here.
     *
     * @param max the maximum number of requests that run at the same time
     * @param maxAlone the maximum of a holder while no other is active
     * @param maxBesideOthers the maximum of a holder otherwise
     */
    Turns(int max, int maxAlone, int maxBesideOthers) {
        this(max, maxAlone, maxBesideOthers, System::nanoTime);
    }

    Turns(int max, int maxAlone, int maxBesideOthers, LongSupplier nanoTime) {
        this(max, maxAlone, maxBesideOthers, false, MEMORY, nanoTime);
    }

    private Turns(
            int max, int maxAlone, int maxBesideOthers, boolean limitsLong, Duration memory, LongSupplier nanoTime) {
        this.max = max;
        this.maxHeavy = Math.max(1, max / PART_FOR_HEAVY);
        this.maxOfBusy = Math.max(1, max - Math.max(1, max / PART_LAST));
        this.maxAlone = maxAlone;
        this.maxBesideOthers = maxBesideOthers;
        this.limitsLong = limitsLong;
        this.memoryNanos = memory.toNanos();
        this.nanoTime = nanoTime;
        this.total = new MeanLoad(nanoTime.getAsLong());
    }

    /** Completes when a request may run. Each call needs one call of {@link #end}. */
    CompletableFuture<Void> begin(K id) {
        return begin(id, null, false);
    }

    /**
     * @param operation one of a small fixed set, because each holder remembers it; null if it is not known
     * @param isSlow whether the request is expected to be slow, whatever its operation is
     */
    CompletableFuture<Void> begin(K id, @Nullable Object operation, boolean isSlow) {
        return begin(id, operation, isSlow, false);
    }

    /**
     * Like {@link #begin}, but before the other requests of the queue, and not limited by the number of heavy requests.
     * The limits of a holder and of the last third of the turns still apply.
     */
    CompletableFuture<Void> beginNext(K id, @Nullable Object operation, boolean isSlow) {
        return begin(id, operation, isSlow, true);
    }

    private synchronized CompletableFuture<Void> begin(
            K id, @Nullable Object operation, boolean isSlow, boolean isNext) {
        long nowNanos = nanoTime.getAsLong();
        forget(nowNanos);
        var holder = holders.computeIfAbsent(id, key -> new Holder<>(key, nowNanos));
        holder.activeNanos = nowNanos;
        holders.putLast(id, holder);
        var turn = new Turn(nowNanos, operation, isSlow || holder.isSlow(operation, nowNanos), isNext);
        var queue = holder.queue(turn.isSlow);
        if (isNext) {
            removeWaiting(queue);
            queue.waiting.addFirst(turn);
        } else {
            queue.waiting.addLast(turn);
        }
        waiting++;
        if (queue.waiting.size() == 1 || isNext) {
            queue.isAfterLong = longRequests.isUsedUp(id, nowNanos);
            if (mayRun(queue, nowNanos)) {
                run(queue, nowNanos).complete(null);
            } else {
                addWaiting(queue);
            }
        }
        return turn;
    }

    private void forget(long nowNanos) {
        for (var first = holders.firstEntry(); first != null; first = holders.firstEntry()) {
            var holder = first.getValue();
            if (holder.running() > 0 || holder.waiting() > 0 || nowNanos - holder.activeNanos < memoryNanos) {
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

    /** Whether a request runs, or one has begun or ended within the last second. */
    synchronized boolean isActive() {
        var last = holders.lastEntry();
        return total.running > 0 || last != null && nanoTime.getAsLong() - last.getValue().activeNanos < ACTIVE_NANOS;
    }

    /** Whether the maximum number of requests runs, and a queue that runs nothing waits. */
    synchronized boolean isWaitedFor() {
        return total.running >= max && !idle.values().stream().allMatch(Set::isEmpty);
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
                .flatMap(holder -> Stream.concat(holder.quick.waiting.stream(), holder.slow.waiting.stream()))
                .filter(turn -> nowNanos - turn.sinceNanos >= maxNanos)
                .toList();
    }

    private synchronized @Nullable CompletableFuture<Void> ended(K id, @Nullable CompletableFuture<Void> turn) {
        var holder = holders.get(id);
        if (holder == null) {
            return null;
        }
        long nowNanos = nanoTime.getAsLong();
        holder.activeNanos = nowNanos;
        holders.putLast(id, holder);
        var queue = holder.queue(turn instanceof Turn own && own.isSlow);
        removeWaiting(queue);
        if (queue.waiting.remove(turn)) {
            waiting--;
        } else {
            var ended = turn == null ? queue.runningTurns.peek() : turn;
            if (ended instanceof Turn run && queue.runningTurns.remove(run)) {
                stop(run, queue, nowNanos);
            }
        }
        queue.isAfterLong = longRequests.isUsedUp(id, nowNanos);
        addWaiting(queue);
        return next();
    }

    private void stop(Turn turn, TurnQueue<K> queue, long nowNanos) {
        add(-1, turn, queue, nowNanos);
        if (limitsLong) {
            queue.learn(nowNanos - turn.startNanos);
        }
        if (!turn.isLong(nowNanos)) {
            return;
        }
        if (turn.operation != null) {
            queue.holder.learn(turn.operation, turn.startNanos, nowNanos);
        }
        if (turn.isCharged) {
            longRequests.use(queue.holder.id, queue.charge(turn.startNanos + LONG_NANOS, nowNanos), nowNanos);
        }
    }

    /** Begins the next request that may run. Null if there is none. */
    private synchronized @Nullable CompletableFuture<Void> next() {
        if (waiting == 0) {
            return null;
        }
        long nowNanos = nanoTime.getAsLong();
        forget(nowNanos);
        // No streams. They took 3 % of the processor time of a request that reads the database.
        TurnQueue<K> best = null;
        for (var sorted : idle.values()) {
            best = better(first(sorted, nowNanos), best, nowNanos);
        }
        for (var queue : busy) {
            best = better(mayRun(queue, nowNanos) ? queue : null, best, nowNanos);
        }
        return best == null ? null : run(best, nowNanos);
    }

    /**
     * The first queue that may run. The set is sorted by load. At most {@link #max} holders run something, so one of the
     * first max + 1 queues belongs to a holder that runs nothing. If that queue may not run, no later one may.
     */
    private @Nullable TurnQueue<K> first(SortedSet<TurnQueue<K>> sorted, long nowNanos) {
        int tried = 0;
        for (var queue : sorted) {
            if (mayRun(queue, nowNanos)) {
                return queue;
            }
            if (++tried > max) {
                return null;
            }
        }
        return null;
    }

    /**
     * The queue with the smaller load. If the loads are equal, the one that runs fewer requests. If these are equal too,
     * {@code best}.
     */
    private static <K> @Nullable TurnQueue<K> better(
            @Nullable TurnQueue<K> queue, @Nullable TurnQueue<K> best, long nowNanos) {
        if (queue == null || best == null) {
            return queue == null ? best : queue;
        }
        int order = Double.compare(queue.at(nowNanos), best.at(nowNanos));
        return order < 0 || order == 0 && queue.running < best.running ? queue : best;
    }

    private CompletableFuture<Void> run(TurnQueue<K> queue, long nowNanos) {
        var turn = queue.waiting.element();
        turn.startNanos = nowNanos;
        turn.usesKept = mayUseKept(queue, nowNanos);
        removeWaiting(queue);
        queue.waiting.remove();
        waiting--;
        add(1, turn, queue, nowNanos);
        // While only this holder runs requests, a long one takes no turn from others.
        turn.isCharged = limitsLong && turn.usesKept && total.running > queue.holder.running();
        queue.runningTurns.add(turn);
        addWaiting(queue);
        return turn;
    }

    private void addWaiting(TurnQueue<K> queue) {
        if (!queue.waiting.isEmpty()) {
            queue.number = ++lastQueueNumber;
            setOf(queue).add(queue);
        }
    }

    /** Must be called before the load, the kind or the first request of a waiting queue changes. */
    private void removeWaiting(TurnQueue<K> queue) {
        setOf(queue).remove(queue);
    }

    private Collection<TurnQueue<K>> setOf(TurnQueue<K> queue) {
        if (queue.running > 0 || queue.hasNext()) {
            return busy;
        }
        return Objects.requireNonNull(idle.get(queue.kind()));
    }

    private static <K> SortedSet<TurnQueue<K>> newIdle() {
        return new TreeSet<>(
                Comparator.<TurnQueue<K>>comparingDouble(MeanLoad::rank).thenComparingLong(queue -> queue.number));
    }

    private void add(int difference, Turn turn, TurnQueue<K> queue, long nowNanos) {
        queue.add(difference, nowNanos);
        total.add(difference, nowNanos);
        runningSlow += queue.isSlow ? difference : 0;
        if (difference > 0) {
            runningTurns.add(turn);
        } else {
            runningTurns.remove(turn);
        }
    }

    private boolean mayRun(TurnQueue<K> queue, long nowNanos) {
        var holder = queue.holder;
        if (isAlone(holder, nowNanos)) {
            // One turn is for quick requests of this holder, and for others that begin.
            boolean needsLastTurn = queue.isSlow && !queue.hasNext() && runningSlow >= Math.max(1, maxAlone - 1);
            return total.running < maxAlone && !needsLastTurn;
        }
        if (total.running >= maxFor(holder) || holder.running() >= maxBesideOthers) {
            return false;
        }
        // Otherwise, heavy requests of others could keep all slow requests waiting.
        boolean isFirstSlow = queue.isSlow && runningSlow == 0;
        return isFirstSlow
                || queue.hasNext()
                || total.running < maxOfBusy && holder.running() == 0
                || mayUseKept(queue, nowNanos)
                || limitsLong && heavy(nowNanos) < maxHeavy;
    }

    /** A holder that already runs something leaves turns for others. All of its requests may wait for one lock. */
    private int maxFor(Holder<K> holder) {
        return switch (holder.running()) {
            case 0 -> max;
            case 1 -> max - 1;
            default -> maxOfBusy;
        };
    }

    private int heavy(long nowNanos) {
        int count = 0;
        for (var turn : runningTurns) {
            count += !turn.usesKept || turn.isLong(nowNanos) ? 1 : 0;
        }
        return count;
    }

    private boolean isAlone(Holder<K> holder, long nowNanos) {
        if (total.running != holder.running() || waiting != holder.waiting()) {
            return false;
        }
        // A stream would take a third of the time of this class.
        for (var other : holders.sequencedValues().reversed()) {
            if (other != holder) {
                return nowNanos - other.activeNanos >= ACTIVE_NANOS;
            }
        }
        return true;
    }

    private boolean mayUseKept(TurnQueue<K> queue, long nowNanos) {
        return switch (queue.kind()) {
            case SHORT -> true;
            case OTHER -> queue.running == 0 && queue.at(nowNanos) <= Math.max(LIGHT, meanLoad(nowNanos) / 2);
            case AFTER_LONG, SLOW -> false;
        };
    }

    private double meanLoad(long nowNanos) {
        return total.at(nowNanos) / holders.size();
    }
}
