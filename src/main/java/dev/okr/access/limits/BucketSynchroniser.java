package dev.okr.access.limits;

import dev.okr.platform.transactions.SqlFailures;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Synchronises the buckets of this replica with the database, on its own thread. A bucket is synchronised at its first
 * use, and then at most once a second while it is used.
 */
@Singleton
class BucketSynchroniser {
    /** A replica reports at least this often, even if it has no requests. */
    static final Duration MAX_REPORT_INTERVAL = Duration.ofSeconds(5);

    private static final Logger LOG = Logger.getLogger(BucketSynchroniser.class);

    /** The maximum number of keys in one synchronisation. */
    private static final int MAX_KEYS = 5_000;

    private static final Duration INTERVAL = Duration.ofSeconds(1);
    private static final Duration TICK = Duration.ofMillis(50);
    private static final Duration MAX_STOP = Duration.ofSeconds(4);

    private final BucketTable table;
    private final boolean limited;
    private final BlockingQueue<Use> used = new LinkedBlockingQueue<>();
    private volatile int replicas = 1;
    private volatile boolean stopped;
    private @Nullable Thread thread;

    // Only the thread uses these fields.
    private final List<Use> waiting = new ArrayList<>();
    private long lastReportNanos = System.nanoTime() - MAX_REPORT_INTERVAL.toNanos();
    private boolean unavailable;

    BucketSynchroniser(LimitSettings settings, BucketTable table) {
        this.table = table;
        this.limited = settings.requestsPerMinute > 0;
    }

    /** A bucket and the state of its synchronisation. It is in the queue at most once. */
    static final class Use {
        private final SharedBucket bucket;
        private boolean queued;
        private long lastNanos = System.nanoTime() - INTERVAL.toNanos();

        Use(SharedBucket bucket) {
            this.bucket = bucket;
        }

        SharedBucket bucket() {
            return bucket;
        }

        synchronized boolean enqueue() {
            boolean first = !queued;
            queued = true;
            return first;
        }

        synchronized int begin() {
            queued = false;
            return bucket.report();
        }
    }

    /** The number of replicas that were running at the last synchronisation. */
    int replicas() {
        return replicas;
    }

    /** Queues a bucket for synchronisation. Never blocks. */
    void enqueue(Use use) {
        if (use.enqueue()) {
            used.add(use);
        }
    }

    void start(@Observes StartupEvent event) {
        if (limited) {
            thread = Thread.ofVirtual().name("rate-limits").start(this::run);
        }
    }

    void stop(@Observes ShutdownEvent event) {
        if (thread == null) {
            return;
        }
        stopped = true;
        try {
            thread.join(MAX_STOP);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void run() {
        try {
            while (!stopped) {
                collect();
                synchroniseDue();
            }
            collect();
            waiting.forEach(use -> use.lastNanos = System.nanoTime() - INTERVAL.toNanos());
            synchroniseDue();
            table.leave();
        } catch (SQLException e) {
            LOG.debugf("The replica was not removed from the count of replicas: %s", SqlFailures.reason(e));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void collect() throws InterruptedException {
        var first = used.poll(TICK.toMillis(), TimeUnit.MILLISECONDS);
        if (first != null) {
            waiting.add(first);
            used.drainTo(waiting);
        }
    }

    private void synchroniseDue() {
        var due = due(System.nanoTime());
        if (due.isEmpty() && System.nanoTime() - lastReportNanos < MAX_REPORT_INTERVAL.toNanos()) {
            return;
        }
        try {
            synchronise(due);
            if (unavailable) {
                LOG.info("Rate limits are shared with the other replicas again");
            }
            unavailable = false;
        } catch (SQLException | RuntimeException e) {
            if (!unavailable) {
                LOG.warnf("Rate limits are temporarily not shared with the other replicas: %s", SqlFailures.reason(e));
            }
            unavailable = true;
            due.values().forEach(this::enqueue);
        }
    }

    /** Removes and returns the waiting buckets whose last synchronisation was at least a second ago. */
    private Map<SharedBucket.Key, Use> due(long nowNanos) {
        var due = new LinkedHashMap<SharedBucket.Key, Use>();
        for (Iterator<Use> uses = waiting.iterator(); uses.hasNext() && due.size() < MAX_KEYS; ) {
            var use = uses.next();
            // A key may be in the list twice, if its bucket was evicted from the cache and then used again.
            if (nowNanos - use.lastNanos >= INTERVAL.toNanos() && due.putIfAbsent(use.bucket.key(), use) == null) {
                uses.remove();
            }
        }
        return due;
    }

    private void synchronise(Map<SharedBucket.Key, Use> due) throws SQLException {
        long nowNanos = System.nanoTime();
        lastReportNanos = nowNanos;
        var consumed = new HashMap<SharedBucket.Key, Integer>();
        due.forEach((key, use) -> {
            use.lastNanos = nowNanos;
            consumed.put(key, use.begin());
        });
        var state = table.synchronise(consumed);
        replicas = state.replicas();
        state.left().forEach((key, left) -> {
            var use = due.get(key);
            if (use != null) {
                use.bucket.synchronise(left, state.replicas(), System.nanoTime());
            }
        });
    }
}
