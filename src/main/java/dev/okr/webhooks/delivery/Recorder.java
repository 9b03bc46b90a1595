package dev.okr.webhooks.delivery;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.okr.platform.ids.IdKind;
import dev.okr.platform.time.Timestamps;
import dev.okr.platform.transactions.OrganizationSearch;
import dev.okr.platform.transactions.SqlFailures;
import dev.okr.webhooks.delivery.Attempt.Made;
import jakarta.enterprise.context.ApplicationScoped;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Collects attempts that were made and writes them in batches on its own thread, one transaction for each organisation.
 * It retries a batch while the database is unavailable. A result that the database rejects is logged and dropped. While
 * the database is unavailable, the replica claims nothing. So only deliveries that were claimed before can add results.
 */
@ApplicationScoped
class Recorder {
    private static final Logger LOG = Logger.getLogger(Recorder.class);

    private static final int MAX_BATCH = 500;
    private static final Duration POLL_TIMEOUT = Duration.ofMillis(250);
    private static final Duration RETRY_DELAY = Duration.ofMillis(500);

    /** The time to wait for more results, because a batch costs little more than one result. */
    private static final Duration BATCHING_DELAY = Duration.ofMillis(10);

    /**
     * Each webhook has at most one warning in this time. A subscriber whose receivers fail could otherwise fill the
     * disk of the log.
     */
    private static final Duration BETWEEN_WARNINGS = Duration.ofMinutes(1);

    private static final int MAX_WARNED = 100_000;

    private final AttemptLog log;
    private final OrganizationSearch organizations;
    private final LinkedBlockingQueue<Made> results = new LinkedBlockingQueue<>();

    /** Results to write again after a failure. They do not delay the results of other organisations. */
    private final LinkedBlockingQueue<Made> waiting = new LinkedBlockingQueue<>();

    /** The webhooks with a recent warning. */
    private final Cache<UUID, Boolean> warned = Caffeine.newBuilder()
            .expireAfterWrite(BETWEEN_WARNINGS)
            .maximumSize(MAX_WARNED)
            .build();

    private final WakeUp wakeUp;
    private volatile boolean stopping;
    private @Nullable Thread thread;

    Recorder(AttemptLog log, OrganizationSearch organizations, WakeUp wakeUp) {
        this.log = log;
        this.organizations = organizations;
        this.wakeUp = wakeUp;
    }

    void start() {
        stopping = false;
        thread = Thread.ofPlatform().daemon().name("okr-webhook-recorder").start(this::run);
    }

    void record(Made made) {
        if (!(made.verdict() instanceof Verdict.Succeeded)) {
            logFailure(made);
        }
        results.add(made);
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
            LOG.warnf(
                    "%d results of attempts were not written. Their deliveries are attempted again",
                    results.size() + waiting.size());
            running.interrupt();
        }
    }

    private void run() {
        try {
            var retryAt = MonotonicClock.now();
            while (!stopping || !results.isEmpty() || !waiting.isEmpty()) {
                var batch = new ArrayList<Made>();
                var first = results.poll(POLL_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
                if (first != null) {
                    Thread.sleep(BATCHING_DELAY);
                    batch.add(first);
                    results.drainTo(batch, MAX_BATCH - 1);
                }
                if (!MonotonicClock.now().isBefore(retryAt)) {
                    waiting.drainTo(batch, MAX_BATCH);
                }
                if (!write(batch)) {
                    retryAt = MonotonicClock.now().plus(RETRY_DELAY);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Writes the results of each organisation. Returns whether all were written. The others are retried later. */
    private boolean write(List<Made> batch) throws InterruptedException {
        var unwritten = batch.stream()
                .collect(Collectors.groupingBy(made -> made.attempt().organizationId()));
        try {
            for (var organization : List.copyOf(unwritten.keySet())) {
                var ofOne = Objects.requireNonNull(unwritten.get(organization));
                if (organizations
                        .visit(organization, () -> write(organization, ofOne))
                        .isPresent()) {
                    unwritten.remove(organization);
                }
            }
        } catch (SQLException e) {
            LOG.warnf("Results of attempts were not written. The recorder tries again: %s", SqlFailures.reason(e));
            Thread.sleep(RETRY_DELAY);
        }
        unwritten.values().forEach(waiting::addAll);
        return unwritten.isEmpty();
    }

    /**
     * Returns the number of attempts, including those that the database rejects.
     *
     * @throws SQLException if all attempts must be written again. An attempt that is written twice counts once.
     */
    private int write(UUID organizationId, List<Made> batch) throws SQLException {
        try {
            log.write(organizationId, batch);
            batch.forEach(this::wakePoller);
        } catch (SQLException | RuntimeException e) {
            if (SqlFailures.isUnavailable(e) || SqlFailures.isConflict(e)) {
                throw e;
            }
            LOG.errorf(e, "A batch of %d results of attempts was not written", batch.size());
            // One result that the database rejects does not block the others.
            int half = batch.size() / 2;
            if (half > 0) {
                write(organizationId, batch.subList(0, half));
                write(organizationId, batch.subList(half, batch.size()));
            }
        }
        return batch.size();
    }

    /** Wakes the poller when a retry is due. */
    private void wakePoller(Made made) {
        if (made.verdict() instanceof Verdict.Retry(var delay)) {
            wakeUp.raiseAfter(delay.minus(Duration.between(made.endedAt(), MonotonicClock.now())));
        }
    }

    /** Logs no host, payload or response, because each may be confidential. */
    private void logFailure(Made made) {
        var attempt = made.attempt();
        var outcome = made.outcome();
        boolean isFirst = warned.asMap().putIfAbsent(attempt.webhookId(), true) == null;
        LOG.logf(
                isFirst ? Logger.Level.WARN : Logger.Level.DEBUG,
                "An attempt failed: delivery=%s webhook=%s event=%s type=%s attempt=%d outcome=%s duration_ms=%d"
                        + " next=%s",
                attempt.publicId(),
                IdKind.WEBHOOK.format(attempt.webhookId()),
                IdKind.EVENT.format(attempt.eventId()),
                attempt.eventType(),
                attempt.attempts() + 1,
                outcome.error() == null ? String.valueOf(outcome.statusCode()) : outcome.error(),
                outcome.duration().toMillis(),
                made.verdict() instanceof Verdict.Retry(var delay)
                        ? Timestamps.format(made.endedAtHere().plus(delay))
                        : "none");
    }
}
