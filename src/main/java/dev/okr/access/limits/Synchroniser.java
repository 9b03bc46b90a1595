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
 * Keeps this replica's views of the buckets true, on a thread of its own: each at once when it is first used, and then
 * once a second as long as it is.
 */
@ApplicationScoped
class Synchroniser {
    static final Duration MAX_SILENCE = Duration.ofSeconds(5);

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

    // Of the thread alone.
    private final List<Use> waiting = new ArrayList<>();
    private long lastSaidNanos = System.nanoTime() - MAX_SILENCE.toNanos();
    private boolean away;

    Synchroniser(SharedBuckets shared, LimitSettings settings) {
        this.shared = shared;
        this.enabled = settings.requestsPerMinute() > 0;
    }

    /** A bucket on its way through here, at most once at a time. */
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

    /** How many replicas there are, this one included. */
    int replicas() {
        return replicas;
    }

    /** Takes note that a bucket was used. Never waits. */
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
            LOG.debugf("the other replicas were not told: %s", SqlFailures.reason(e));
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
        if (due.isEmpty() && System.nanoTime() - lastSaidNanos < MAX_SILENCE.toNanos()) {
            return;
        }
        try {
            synchronise(due);
            if (away) {
                LOG.info("rate limits are shared with the other replicas again");
            }
            away = false;
        } catch (SQLException | RuntimeException e) {
            if (!away) {
                LOG.warnf(
                        "rate limits are not shared with the other replicas until this ends: %s",
                        SqlFailures.reason(e));
            }
            away = true;
            due.values().forEach(this::used);
        }
    }

    /** Takes out of those that wait what was not synchronised for a second. */
    private Map<ApiKeyId, Use> due(long nowNanos) {
        var due = new LinkedHashMap<ApiKeyId, Use>();
        for (Iterator<Use> uses = waiting.iterator(); uses.hasNext() && due.size() < MAX_KEYS; ) {
            var use = uses.next();
            // A bucket that was forgotten and used again can be here twice.
            if (nowNanos - use.lastNanos >= INTERVAL.toNanos()
                    && due.putIfAbsent(use.bucket().key(), use) == null) {
                uses.remove();
            }
        }
        return due;
    }

    private void synchronise(Map<ApiKeyId, Use> due) throws SQLException {
        long nowNanos = System.nanoTime();
        lastSaidNanos = nowNanos;
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
