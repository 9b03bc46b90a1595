package dev.okr.webhooks.delivery;

import dev.okr.platform.ids.IdKind;
import dev.okr.platform.time.Timestamps;
import dev.okr.platform.transactions.SqlFailures;
import dev.okr.webhooks.delivery.AttemptLog.JudgedAttempt;
import jakarta.enterprise.context.ApplicationScoped;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Collects results of attempts and writes them in batches on its own thread. It repeats a batch while the database is
 * unavailable. A result that the database rejects is logged and dropped. While the database is unavailable, the replica
 * claims nothing. The claims from before therefore limit the number of waiting results.
 */
@ApplicationScoped
class Recorder {
    private static final Logger LOG = Logger.getLogger(Recorder.class);

    private static final int MAX_BATCH = 500;
    private static final Duration POLL_TIMEOUT = Duration.ofMillis(250);
    private static final Duration RETRY_DELAY = Duration.ofMillis(500);

    /** The time to wait for more results, because a batch costs little more than one result. */
    private static final Duration BATCHING_DELAY = Duration.ofMillis(10);

    private final AttemptLog log;
    private final DeliveryMetrics metrics;
    private final LinkedBlockingQueue<JudgedAttempt> results = new LinkedBlockingQueue<>();
    private volatile boolean stopping;
    private @Nullable Thread thread;

    Recorder(AttemptLog log, DeliveryMetrics metrics) {
        this.log = log;
        this.metrics = metrics;
    }

    void start() {
        stopping = false;
        thread = Thread.ofPlatform().daemon().name("okr-webhook-recorder").start(this::run);
    }

    /** Judges and queues a result. Returns the time of the retry, or null if there is none. */
    @Nullable
    Instant record(AttemptResult result) {
        var attempt = log.judge(result);
        metrics.judged(attempt.verdict());
        if (!(attempt.verdict() instanceof Verdict.Succeeded)) {
            logFailure(attempt);
        }
        results.add(attempt);
        return attempt.verdict() instanceof Verdict.Retry(var dueAt) ? dueAt : null;
    }

    /** Writes the remaining results, if the database accepts them in time. */
    void stop(Duration limit) {
        stopping = true;
        var running = thread;
        if (running == null) {
            return;
        }
        try {
            running.join(limit);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (running.isAlive()) {
            LOG.warnf("cannot write %d results of attempts, their deliveries are repeated", results.size());
            running.interrupt();
        }
    }

    private void run() {
        try {
            while (!stopping || !results.isEmpty()) {
                var first = results.poll(POLL_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
                if (first != null) {
                    Thread.sleep(BATCHING_DELAY);
                    var batch = new ArrayList<JudgedAttempt>();
                    batch.add(first);
                    results.drainTo(batch, MAX_BATCH - 1);
                    write(batch);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void write(List<JudgedAttempt> batch) throws InterruptedException {
        while (true) {
            try {
                log.write(batch);
                return;
            } catch (SQLException | RuntimeException e) {
                if (!SqlFailures.isUnavailable(e) && !SqlFailures.isConflict(e)) {
                    LOG.errorf(e, "cannot write %d results of attempts", batch.size());
                    writeHalves(batch);
                    return;
                }
                LOG.warnf("cannot write %d results of attempts, retrying: %s", batch.size(), SqlFailures.reason(e));
                Thread.sleep(RETRY_DELAY);
            }
        }
    }

    /**
     * Writes each half of the batch on its own, so that a result that the database rejects does not block the others.
     */
    private void writeHalves(List<JudgedAttempt> batch) throws InterruptedException {
        if (batch.size() > 1) {
            int half = batch.size() / 2;
            write(batch.subList(0, half));
            write(batch.subList(half, batch.size()));
        }
    }

    /** Logs no host, payload or response, because each may be confidential. */
    private static void logFailure(JudgedAttempt attempt) {
        var delivery = attempt.result().delivery();
        var outcome = attempt.result().outcome();
        LOG.warnf(
                "attempt failed: delivery=%s webhook=%s event=%s type=%s attempt=%d outcome=%s duration_ms=%d next=%s",
                delivery.publicId(),
                IdKind.WEBHOOK.format(delivery.webhookId()),
                IdKind.EVENT.format(delivery.eventId()),
                delivery.eventType(),
                delivery.attempts() + 1,
                outcome.error() == null ? String.valueOf(outcome.statusCode()) : outcome.error(),
                outcome.duration().toMillis(),
                attempt.verdict() instanceof Verdict.Retry(var dueAt) ? Timestamps.format(dueAt) : "none");
    }
}
