package dev.okr.access.limits;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
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
 * While several holders are active, only a holder with at most half of the mean load may take the last free turn. The
 * lock of this object guards all counts.
 *
 * @param <K> the holders
 */
final class Turns<K> {
    /** A holder counts as active for this time after its last request. */
    private static final long ACTIVE_NANOS = Duration.ofSeconds(1).toNanos();

    /** The time constant of the mean. A value that is this old has the weight 1/e. */
    private static final double LOAD_NANOS = Duration.ofSeconds(1).toNanos();

    /** A holder leaves a third of the turns to others, even while no other is active. */
    private static final int PART_KEPT_FOR_OTHERS = 3;

    private final int max;
    private final int maxAlone;
    private final int maxBesideOthers;
    private final LongSupplier nanoTime;

    /** Ordered by the last time that a request of the holder began or ended. */
    private final LinkedHashMap<K, Holder> holders = new LinkedHashMap<>();

    /**
     * The waiting holders that run nothing, by load. There can be thousands, so they are not searched. Their loads
     * decrease at the same rate, so their order does not change.
     */
    private final TreeSet<Holder> idle = new TreeSet<>(
            Comparator.<Holder>comparingDouble(Load::rank).thenComparingLong(holder -> holder.queueNumber));

    /** The waiting holders that run something. There are at most {@link #max}. */
    private final Set<Holder> busy = new LinkedHashSet<>();

    private long lastQueueNumber;

    /** All holders together. */
    private final Load total;

    private int waiting;

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

    private static final class Holder extends Load {
        private final Deque<Turn> waiting = new ArrayDeque<>();
        private long activeNanos;
        private long queueNumber;

        private Holder(long nowNanos) {
            super(nowNanos);
        }
    }

    /** Completes when its request may run. */
    private static final class Turn extends CompletableFuture<Void> {
        private final long sinceNanos;

        private Turn(long sinceNanos) {
            this.sinceNanos = sinceNanos;
        }
    }

    /** @param max the maximum number of requests that run at the same time */
    Turns(int max) {
        this(max, System::nanoTime);
    }

    Turns(int max, LongSupplier nanoTime) {
        this(Math.max(1, max), Math.max(1, max - max / PART_KEPT_FOR_OTHERS), Math.max(1, max / 2), nanoTime);
    }

    /**
     * @param max the maximum number of requests that run at the same time
     * @param maxAlone the maximum of a holder while no other is active
     * @param maxBesideOthers the maximum of a holder otherwise
     */
    Turns(int max, int maxAlone, int maxBesideOthers) {
        this(max, maxAlone, maxBesideOthers, System::nanoTime);
    }

    private Turns(int max, int maxAlone, int maxBesideOthers, LongSupplier nanoTime) {
        this.max = max;
        this.maxAlone = maxAlone;
        this.maxBesideOthers = maxBesideOthers;
        this.nanoTime = nanoTime;
        this.total = new Load(nanoTime.getAsLong());
    }

    /** Completes when a request may run. Each call needs one call of {@link #end}. */
    CompletableFuture<Void> begin(K id) {
        return begin(id, Deque::addLast);
    }

    /** Like {@link #begin}, but before the other requests of the holder. */
    CompletableFuture<Void> beginNext(K id) {
        return begin(id, Deque::addFirst);
    }

    private synchronized CompletableFuture<Void> begin(K id, BiConsumer<Deque<Turn>, Turn> add) {
        long nowNanos = nanoTime.getAsLong();
        removeInactive(nowNanos);
        var holder = holders.computeIfAbsent(id, key -> new Holder(nowNanos));
        holder.activeNanos = nowNanos;
        holders.putLast(id, holder);
        var turn = new Turn(nowNanos);
        add.accept(holder.waiting, turn);
        waiting++;
        if (holder.waiting.size() == 1) {
            if (mayRun(holder, nowNanos)) {
                run(holder, nowNanos).complete(null);
            } else {
                enterQueue(holder);
            }
        }
        return turn;
    }

    private void removeInactive(long nowNanos) {
        for (var first = holders.firstEntry(); first != null; first = holders.firstEntry()) {
            var holder = first.getValue();
            if (holder.running > 0 || !holder.waiting.isEmpty() || nowNanos - holder.activeNanos < ACTIVE_NANOS) {
                return;
            }
            holders.pollFirstEntry();
        }
    }

    /** Ends a request that has run. */
    void end(K id) {
        end(id, CompletableFuture.completedFuture(null));
    }

    /** Ends a request that has run, or that no longer waits. */
    void end(K id, CompletableFuture<Void> turn) {
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

    private synchronized @Nullable CompletableFuture<Void> ended(K id, CompletableFuture<Void> turn) {
        var holder = holders.get(id);
        if (holder == null) {
            return null;
        }
        long nowNanos = nanoTime.getAsLong();
        holder.activeNanos = nowNanos;
        holders.putLast(id, holder);
        leaveQueue(holder);
        if (holder.waiting.remove(turn)) {
            waiting--;
        } else {
            add(-1, holder, nowNanos);
        }
        enterQueue(holder);
        return next();
    }

    /** The next request that may run. */
    private synchronized @Nullable CompletableFuture<Void> next() {
        if (waiting == 0) {
            return null;
        }
        long nowNanos = nanoTime.getAsLong();
        removeInactive(nowNanos);
        return Stream.concat(idle.stream().limit(1), busy.stream())
                .filter(each -> mayRun(each, nowNanos))
                .min(Comparator.<Holder>comparingDouble(each -> each.at(nowNanos))
                        .thenComparingInt(each -> each.running))
                .map(each -> run(each, nowNanos))
                .orElse(null);
    }

    private CompletableFuture<Void> run(Holder holder, long nowNanos) {
        leaveQueue(holder);
        add(1, holder, nowNanos);
        waiting--;
        var turn = holder.waiting.remove();
        enterQueue(holder);
        return turn;
    }

    private void enterQueue(Holder holder) {
        if (!holder.waiting.isEmpty()) {
            holder.queueNumber = ++lastQueueNumber;
            (holder.running == 0 ? idle : busy).add(holder);
        }
    }

    /** Must be called before the load of a waiting holder changes. */
    private void leaveQueue(Holder holder) {
        idle.remove(holder);
        busy.remove(holder);
    }

    private void add(int difference, Holder holder, long nowNanos) {
        holder.add(difference, nowNanos);
        total.add(difference, nowNanos);
    }

    private boolean mayRun(Holder holder, long nowNanos) {
        if (holders.size() == 1) {
            return holder.running < maxAlone;
        }
        // At most half of the mean load of the active holders.
        boolean isLight = 2 * holder.at(nowNanos) * holders.size() <= total.at(nowNanos);
        return total.running < (isLight ? max : Math.max(1, max - 1)) && holder.running < maxBesideOthers;
    }
}
