package dev.okr.webhooks.delivery;

import dev.okr.platform.encryption.SecretBox;
import dev.okr.platform.ids.IdKind;
import dev.okr.platform.time.UtcClock;
import dev.okr.platform.transactions.SqlFailures;
import dev.okr.webhooks.AttemptOutcome;
import dev.okr.webhooks.OutgoingAttempt;
import dev.okr.webhooks.WebhookSender;
import jakarta.enterprise.context.ApplicationScoped;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Collectors;
import org.jboss.logging.Logger;
import org.jboss.logging.Logger.Level;

/**
 * Makes attempts, each on its own virtual thread and outside any transaction: signs the payload with the current time,
 * sends it and judges the outcome.
 */
@ApplicationScoped
class Attempts {
    private static final Logger LOG = Logger.getLogger(Attempts.class);
    private static final String SIGNING_FAILED = "signing_failed";

    private final LargePayloads payloads;
    private final WebhookSender sender;
    private final SecretBox secretBox;
    private final UtcClock clock;
    private final DeliveryMetrics metrics;
    private final Claims claims;
    private final Recorder recorder;
    private final WakeUp wakeUp;
    private final RetrySchedule schedule;
    private final Slots slots;
    private volatile boolean stopping;

    Attempts(
            LargePayloads payloads,
            WebhookSender sender,
            SecretBox secretBox,
            UtcClock clock,
            DeliveryMetrics metrics,
            Claims claims,
            Recorder recorder,
            WakeUp wakeUp,
            DeliverySettings settings) {
        this.payloads = payloads;
        this.sender = sender;
        this.secretBox = secretBox;
        this.clock = clock;
        this.metrics = metrics;
        this.claims = claims;
        this.recorder = recorder;
        this.wakeUp = wakeUp;
        this.schedule = new RetrySchedule(
                settings.retrySchedule(), () -> ThreadLocalRandom.current().nextDouble());
        this.slots = new Slots(settings.maxConcurrency(), settings.maxConcurrencyPerEndpoint());
    }

    Slots slots() {
        return slots;
    }

    /**
     * Starts the attempts of claimed deliveries. Those without a slot wait for the end of an attempt, or are released.
     */
    void start(List<Attempt> claimed) {
        slots.admit(claimed, MonotonicClock.now())
                .forEach(first -> Thread.ofVirtual().name("okr-webhook-attempt").start(() -> {
                    var attempt = Optional.of(first);
                    while (attempt.isPresent()) {
                        attempt = run(attempt.get());
                    }
                }));
    }

    /** Releases deliveries that no end of an attempt will start. Returns whether there were any. */
    boolean releaseStuck() {
        var stuck = slots.removeStuck(MonotonicClock.now());
        release(stuck);
        return !stuck.isEmpty();
    }

    /** Releases waiting deliveries, and waits for attempts in flight. Releases those that do not end in time. */
    void stop(Duration limit) {
        stopping = true;
        release(slots.removeWaiting());
        var deadline = MonotonicClock.now().plus(limit);
        while (!slots.inFlight().isEmpty() && MonotonicClock.now().isBefore(deadline)) {
            try {
                Thread.sleep(Duration.ofMillis(20));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                deadline = Instant.MIN;
            }
        }
        var unfinished = slots.inFlight();
        if (!unfinished.isEmpty()) {
            LOG.infof("%d attempts did not end in time. Another replica repeats them", unfinished.size());
            release(unfinished);
        }
    }

    /** Makes an attempt and returns the next one for its slot. */
    private Optional<Attempt> run(Attempt attempt) {
        boolean success = false;
        try {
            var made = make(attempt);
            success = made.outcome().succeeded();
            recorder.record(made);
        } catch (SQLException e) {
            LOG.warnf(
                    "The payload of delivery %s could not be read. The delivery is attempted again when its lease expires: %s",
                    attempt, SqlFailures.reason(e));
        } catch (RuntimeException | Error e) {
            // The delivery is attempted again when its lease expires, or earlier if stop() has released it. During a
            // shutdown, failures are expected. An Error must not keep the slot and the deliveries that wait for it.
            LOG.logf(stopping ? Level.DEBUG : Level.ERROR, e, "An attempt of delivery %s failed unexpectedly", attempt);
        }
        var end = slots.end(attempt, success, MonotonicClock.now());
        if (end.claimMore()) {
            wakeUp.raise();
        }
        return end.next();
    }

    /** Blocks until the receiver answers or the attempt times out. The jitter of a retry is drawn once, here. */
    private Attempt.Made make(Attempt attempt) throws SQLException {
        var small = attempt.payload().small();
        var body = small == null ? payloads.read(attempt.organizationId(), attempt.eventId()) : small;
        var startedAt = clock.now();
        if (attempt.attempts() == 0) {
            metrics.firstAttempt(Duration.between(attempt.happenedAt(), startedAt));
        }
        var outcome = send(attempt, body, startedAt.getEpochSecond());
        var made = attempt.made(startedAt, MonotonicClock.now(), outcome, schedule);
        metrics.made(made);
        return made;
    }

    private AttemptOutcome send(Attempt attempt, byte[] body, long timestampSeconds) {
        var messageId = IdKind.EVENT.format(attempt.eventId());
        var endpoint = attempt.endpoint();
        try {
            var signature = endpoint.keys().sign(secretBox, messageId, timestampSeconds, body);
            return sender.send(new OutgoingAttempt(
                    attempt.organizationId(), endpoint.url(), messageId, timestampSeconds, signature, body));
        } catch (RuntimeException e) {
            // Most likely an encryption key is missing from the configuration. A retry succeeds after the operator adds
            // it.
            LOG.errorf(e, "Delivery %s could not be signed or sent", attempt.publicId());
            return new AttemptOutcome(null, SIGNING_FAILED, Duration.ZERO, null, null);
        }
    }

    private void release(Collection<Attempt> deliveries) {
        var byOrganization = deliveries.stream().collect(Collectors.groupingBy(Attempt::organizationId));
        try {
            for (var each : byOrganization.entrySet()) {
                claims.release(each.getKey(), each.getValue());
            }
        } catch (SQLException e) {
            LOG.warnf("Deliveries were not released. They wait until their leases expire: %s", SqlFailures.reason(e));
        }
    }
}
