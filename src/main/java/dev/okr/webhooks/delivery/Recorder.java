package dev.okr.webhooks.delivery;

import dev.okr.platform.ids.IdKind;
import dev.okr.platform.time.Timestamps;
import dev.okr.platform.transactions.SqlFailures;
import dev.okr.webhooks.delivery.AttemptLog.Judged;
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
 * Collects the results of attempts and has them written in batches, one after the other, by a thread of its own. A
 * batch that cannot be written is tried again until it can: while the database is away nothing new is claimed either,
 * so no more than what was in flight waits here.
 */
@ApplicationScoped
class Recorder {
    private static final Logger LOG = Logger.getLogger(Recorder.class);

    private static final int MAX_BATCH = 500;
    private static final Duration WAIT = Duration.ofMillis(250);
    private static final Duration BETWEEN_TRIES = Duration.ofMillis(500);

    /** For others to end: a batch costs little more than a single result. */
    private static final Duration GATHERING = Duration.ofMillis(10);

    private final AttemptLog log;
    private final DeliveryMetrics metrics;
    private final LinkedBlockingQueue<Judged> results = new LinkedBlockingQueue<>();
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

    /** Takes a result over. Returns when the delivery is due again, if it is. */
    @Nullable
    Instant record(AttemptResult result) {
        var judged = log.judge(result);
        metrics.judged(judged.verdict());
        if (!(judged.verdict() instanceof Verdict.Succeeded)) {
            logFailure(judged);
        }
        results.add(judged);
        return judged.verdict() instanceof Verdict.Retry(var dueAt) ? dueAt : null;
    }

    /** Writes what is left, if the database lets it in this time. */
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
            LOG.warnf("%d results of attempts could not be written; those deliveries are repeated", results.size());
            running.interrupt();
        }
    }

    private void run() {
        try {
            while (!stopping || !results.isEmpty()) {
                var first = results.poll(WAIT.toMillis(), TimeUnit.MILLISECONDS);
                if (first != null) {
                    Thread.sleep(GATHERING);
                    var batch = new ArrayList<Judged>();
                    batch.add(first);
                    results.drainTo(batch, MAX_BATCH - 1);
                    write(batch);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void write(List<Judged> batch) throws InterruptedException {
        while (true) {
            try {
                log.write(batch);
                return;
            } catch (SQLException | RuntimeException e) {
                if (!SqlFailures.isUnavailable(e) && !SqlFailures.isConflict(e)) {
                    LOG.errorf(e, "%d results of attempts cannot be written", batch.size());
                    writeApart(batch);
                    return;
                }
                LOG.warnf(
                        "%d results of attempts were not written, trying again: %s",
                        batch.size(), SqlFailures.reason(e));
                Thread.sleep(BETWEEN_TRIES);
            }
        }
    }

    /** One result that the database does not take must not hold up all others. */
    private void writeApart(List<Judged> batch) throws InterruptedException {
        if (batch.size() > 1) {
            int half = batch.size() / 2;
            write(batch.subList(0, half));
            write(batch.subList(half, batch.size()));
        }
    }

    /** Names no host, and shows neither payload nor response: each may hold what is nobody's business. */
    private static void logFailure(Judged judged) {
        var delivery = judged.result().delivery();
        var outcome = judged.result().outcome();
        LOG.warnf(
                "attempt failed: delivery=%s webhook=%s event=%s type=%s attempt=%d outcome=%s duration_ms=%d next=%s",
                delivery.publicId(),
                IdKind.WEBHOOK.format(delivery.webhookId()),
                IdKind.EVENT.format(delivery.eventId()),
                delivery.eventType(),
                delivery.attempts() + 1,
                outcome.error() == null ? String.valueOf(outcome.statusCode()) : outcome.error(),
                outcome.duration().toMillis(),
                judged.verdict() instanceof Verdict.Retry(var dueAt) ? Timestamps.format(dueAt) : "none");
    }
}
