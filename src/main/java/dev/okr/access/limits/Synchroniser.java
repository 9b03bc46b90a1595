package dev.okr.access.limits;

import dev.okr.platform.transactions.SqlFailures;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
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
 * Synchronises the local views of the buckets with the database, on its own thread. A bucket is synchronised at its
 * first use, and then at most once a second while it is used.
 */
@ApplicationScoped
class Synchroniser {
    static final Duration MAX_REPORT_INTERVAL = Duration.ofSeconds(5);

    private static final Logger LOG = Logger.getLogger(Synchroniser.class);
    private static final Duration INTERVAL = Duration.ofSeconds(1);
    private static final Duration TICK = Duration.ofMillis(50);
    private static final Duration MAX_STOP = Duration.ofSeconds(4);
    private static final int MAX_KEYS = 5_000;

    private final SharedBuckets shared;
    private final boolean enabled;
    private final BlockingQueue<Use> used = new LinkedBlockingQueue<>();
    private volatile int replicas = 1;
    private volatile boolean stopped;
    private @Nullable Thread thread;

    // Only the thread uses these fields.
    private final List<Use> waiting = new ArrayList<>();
    private long lastReportNanos = System.nanoTime() - MAX_REPORT_INTERVAL.toNanos();
    private boolean unavailable;

    Synchroniser(SharedBuckets shared, LimitSettings settings) {
        this.shared = shared;
        this.enabled = settings.requestsPerMinute() > 0;
    }

    /** A bucket that was used. It is in the queue at most once. */
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

        private synchronized boolean enqueue() {
            boolean first = !queued;
            queued = true;
            return first;
        }

        private synchronized int begin() {
            queued = false;
            return bucket.report();
        }
    }

    /** The number of replicas, including this one. */
    int replicas() {
        return replicas;
    }

    /** Queues a bucket for synchronisation. Never blocks. */
    void used(Use use) {
        if (use.enqueue()) {
            used.add(use);
        }
    }

    void start(@Observes StartupEvent event) {
        if (enabled) {
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
            shared.leave();
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
                LOG.warnf(
                        "Rate limits are not shared with the other replicas at the moment: %s", SqlFailures.reason(e));
            }
            unavailable = true;
            due.values().forEach(this::used);
        }
    }

    /** Removes and returns the waiting buckets whose last synchronisation was at least a second ago. */
    private Map<ApiKeyId, Use> due(long nowNanos) {
        var due = new LinkedHashMap<ApiKeyId, Use>();
        for (Iterator<Use> uses = waiting.iterator(); uses.hasNext() && due.size() < MAX_KEYS; ) {
            var use = uses.next();
            // A bucket that was dropped from the cache and used again may be in the list twice.
            if (nowNanos - use.lastNanos >= INTERVAL.toNanos()
                    && due.putIfAbsent(use.bucket().key(), use) == null) {
                uses.remove();
            }
        }
        return due;
    }

    private void synchronise(Map<ApiKeyId, Use> due) throws SQLException {
        long nowNanos = System.nanoTime();
        lastReportNanos = nowNanos;
        var consumed = new HashMap<ApiKeyId, Integer>();
        due.forEach((key, use) -> {
            use.lastNanos = nowNanos;
            consumed.put(key, use.begin());
        });
        var state = shared.synchronise(consumed);
        replicas = state.replicas();
        state.left().forEach((key, left) -> {
            var use = due.get(key);
            if (use != null) {
                use.bucket().synchronise(left, state.replicas(), System.nanoTime());
            }
        });
    }
}
