package dev.okr.access.limits;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Lets the requests of several holders take turns at the database. A holder may use all turns while no other runs
 * requests. If others began requests within the last second, it may use half of the turns and leaves one free. So a
 * request of a holder that runs nothing seldom waits. The lock of this object guards all counts.
 *
 * @param <K> the holders
 */
final class Turns<K> {
    private static final long RECENT_NANOS = Duration.ofSeconds(1).toNanos();

    private final int max;
    private final int maxBesideOthers;
    private final LongSupplier nanoTime;

    /** Ordered by the last time that a request of the holder began to run. A holder without requests is not stored. */
    private final LinkedHashMap<K, Holder> holders = new LinkedHashMap<>();

    private int running;
    private int waiting;

    /** The holder of the last request. Another holder had its last request at {@link #lastOfOthersNanos}. */
    private @Nullable K last;

    private long lastNanos;
    private long lastOfOthersNanos;

    private static final class Holder {
        private final Queue<Turn> waiting = new ArrayDeque<>();
        private int running;
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
        this.max = Math.max(1, max);
        this.maxBesideOthers = Math.max(1, max / 2);
        this.nanoTime = nanoTime;
        this.lastNanos = nanoTime.getAsLong() - RECENT_NANOS;
        this.lastOfOthersNanos = lastNanos;
    }

    /** Completes when a request may run. Each call needs one call of {@link #end}. */
    synchronized CompletableFuture<Void> begin(K id) {
        see(id);
        var holder = holders.computeIfAbsent(id, key -> new Holder());
        var turn = new Turn(lastNanos);
        holder.waiting.add(turn);
        waiting++;
        if (holder.waiting.size() == 1 && mayRun(id, holder)) {
            run(id, holder).complete(null);
        }
        return turn;
    }

    /** Ends a request that has run, or that no longer waits. */
    void end(K id, CompletableFuture<Void> turn) {
        // Completed outside the lock, because it resumes a request.
        for (var next = ended(id, turn); next != null; next = next()) {
            next.complete(null);
        }
    }

    /**
     * Fails the requests that have waited for at least this time. Call it periodically. A timer for each request would
     * cost more than its turn.
     */
    void expire(Duration maxWait) {
        late(maxWait.toNanos()).forEach(turn -> turn.completeExceptionally(new TimeoutException()));
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
        if (holder.waiting.remove(turn)) {
            waiting--;
        } else {
            holder.running--;
            running--;
        }
        if (holder.running == 0 && holder.waiting.isEmpty()) {
            holders.remove(id);
        }
        return next();
    }

    /**
     * The next request that may run. Holders with the fewest running requests are first. Among them, the one that has
     * waited longest is first.
     */
    private synchronized @Nullable CompletableFuture<Void> next() {
        if (waiting == 0) {
            return null;
        }
        return holders.entrySet().stream()
                .filter(each -> !each.getValue().waiting.isEmpty() && mayRun(each.getKey(), each.getValue()))
                .min(Comparator.comparingInt(each -> each.getValue().running))
                .map(each -> run(each.getKey(), each.getValue()))
                .orElse(null);
    }

    private CompletableFuture<Void> run(K id, Holder holder) {
        holders.putLast(id, holder);
        holder.running++;
        running++;
        waiting--;
        return holder.waiting.remove();
    }

    private void see(K id) {
        if (!id.equals(last)) {
            last = id;
            lastOfOthersNanos = lastNanos;
        }
        lastNanos = nanoTime.getAsLong();
    }

    private boolean mayRun(K id, Holder holder) {
        long others = id.equals(last) ? lastOfOthersNanos : lastNanos;
        boolean isAlone = nanoTime.getAsLong() - others >= RECENT_NANOS;
        if (isAlone || holder.running == 0) {
            return running < max;
        }
        return holder.running < maxBesideOthers && running < max - 1;
    }
}
