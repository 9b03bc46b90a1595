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
import org.jboss.logging.Logger;

/** Executes one attempt of a claimed delivery. It signs the payload and the current time, and sends the request. */
@ApplicationScoped
class AttemptExecutor {
    private static final Logger LOG = Logger.getLogger(AttemptExecutor.class);
    private static final String SIGNING_FAILED = "signing_failed";

    private final WebhookSender sender;
    private final SecretBox secretBox;
    private final UtcClock clock;
    private final DeliveryMetrics metrics;

    AttemptExecutor(WebhookSender sender, SecretBox secretBox, UtcClock clock, DeliveryMetrics metrics) {
        this.sender = sender;
        this.secretBox = secretBox;
        this.clock = clock;
        this.metrics = metrics;
    }

    /** Blocks until the receiver answers or the attempt times out. */
    AttemptResult execute(ClaimedDelivery delivery) {
        var attemptedAt = clock.now();
        if (delivery.attempts() == 0) {
            metrics.firstAttempt(Duration.between(delivery.happenedAt(), attemptedAt));
        }
        var outcome = send(delivery, attemptedAt.getEpochSecond());
        metrics.attempted(outcome);
        return new AttemptResult(delivery, attemptedAt, outcome);
    }

    private AttemptOutcome send(ClaimedDelivery delivery, long timestampSeconds) {
        var messageId = IdKind.EVENT.format(delivery.eventId());
        var body = delivery.payload().getBytes(StandardCharsets.UTF_8);
        try {
            var signature = delivery.keys().sign(secretBox, messageId, timestampSeconds, body);
            return sender.send(new OutgoingAttempt(delivery.url(), messageId, timestampSeconds, signature, body));
        } catch (RuntimeException e) {
            // Most likely an encryption key is missing from the configuration. A retry succeeds after the operator adds
            // it.
            LOG.errorf(e, "cannot attempt delivery %s", delivery.publicId());
            return new AttemptOutcome(null, SIGNING_FAILED, Duration.ZERO, null, null);
        }
    }
}
