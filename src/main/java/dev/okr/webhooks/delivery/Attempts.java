package dev.okr.webhooks.delivery;

import dev.okr.platform.encryption.SecretBox;
import dev.okr.platform.ids.IdKind;
import dev.okr.platform.time.UtcClock;
import dev.okr.webhooks.AttemptOutcome;
import dev.okr.webhooks.OutgoingAttempt;
import dev.okr.webhooks.WebhookSender;
import jakarta.enterprise.context.ApplicationScoped;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import org.jboss.logging.Logger;

/** Makes attempts: signs the payload with the current time, sends it and judges the outcome. */
@ApplicationScoped
class Attempts {
    private static final Logger LOG = Logger.getLogger(Attempts.class);
    private static final String SIGNING_FAILED = "signing_failed";

    private final WebhookSender sender;
    private final SecretBox secretBox;
    private final UtcClock clock;
    private final DeliveryMetrics metrics;
    private final RetrySchedule schedule;

    Attempts(
            WebhookSender sender,
            SecretBox secretBox,
            UtcClock clock,
            DeliveryMetrics metrics,
            DeliverySettings settings) {
        this.sender = sender;
        this.secretBox = secretBox;
        this.clock = clock;
        this.metrics = metrics;
        this.schedule = new RetrySchedule(
                settings.retrySchedule(), () -> ThreadLocalRandom.current().nextDouble());
    }

    /** Blocks until the receiver answers or the attempt times out. The jitter of a retry is drawn once, here. */
    Attempt.Made make(Attempt attempt) {
        var startedAt = clock.now();
        if (attempt.attempts() == 0) {
            metrics.firstAttempt(Duration.between(attempt.happenedAt(), startedAt));
        }
        var outcome = send(attempt, startedAt.getEpochSecond());
        var made = attempt.made(startedAt, MonotonicClock.now(), outcome, schedule);
        metrics.made(made);
        return made;
    }

    private AttemptOutcome send(Attempt attempt, long timestampSeconds) {
        var messageId = IdKind.EVENT.format(attempt.eventId());
        var body = attempt.payload().getBytes(StandardCharsets.UTF_8);
        var endpoint = attempt.endpoint();
        try {
            var signature = endpoint.keys().sign(secretBox, messageId, timestampSeconds, body);
            return sender.send(new OutgoingAttempt(endpoint.url(), messageId, timestampSeconds, signature, body));
        } catch (RuntimeException e) {
            // Most likely an encryption key is missing from the configuration. A retry succeeds after the operator adds
            // it.
            LOG.errorf(e, "delivery %s cannot be attempted", attempt.publicId());
            return new AttemptOutcome(null, SIGNING_FAILED, Duration.ZERO, null, null);
        }
    }
}
