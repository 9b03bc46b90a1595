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

/** Makes one attempt of a claimed delivery: signs it for this moment and sends it. */
@ApplicationScoped
class Attempts {
    private static final Logger LOG = Logger.getLogger(Attempts.class);
    private static final String UNSIGNED = "signing_failed";

    private final WebhookSender sender;
    private final SecretBox secretBox;
    private final UtcClock clock;
    private final DeliveryMetrics metrics;

    Attempts(WebhookSender sender, SecretBox secretBox, UtcClock clock, DeliveryMetrics metrics) {
        this.sender = sender;
        this.secretBox = secretBox;
        this.clock = clock;
        this.metrics = metrics;
    }

    /** Blocks until the receiver has answered, or has not in time. */
    AttemptResult make(ClaimedDelivery delivery) {
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
            // A key that is missing from the configuration, most likely: the operator's to mend, and a retry finds it.
            LOG.errorf(e, "delivery %s cannot be attempted", delivery.publicId());
            return new AttemptOutcome(null, UNSIGNED, Duration.ZERO, null, null);
        }
    }
}
