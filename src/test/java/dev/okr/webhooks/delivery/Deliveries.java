package dev.okr.webhooks.delivery;

import dev.okr.platform.encryption.EncryptedSecret;
import dev.okr.webhooks.AttemptOutcome;
import dev.okr.webhooks.SigningKeys;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;

/** Claimed deliveries and outcomes for tests without a database. */
final class Deliveries {
    static final Instant NOW = Instant.parse("2027-01-11T09:00:00Z");

    private static final UUID ORGANIZATION = new UUID(1, 1);

    private Deliveries() {}

    static ClaimedDelivery claimed(UUID webhook) {
        return claimed(webhook, NOW, 0);
    }

    static ClaimedDelivery claimed(UUID webhook, Instant claimedAt, int retries) {
        var keys = new SigningKeys(ORGANIZATION, webhook, new EncryptedSecret("k", new byte[0]), null);
        return new ClaimedDelivery(
                ORGANIZATION,
                UUID.randomUUID(),
                webhook,
                UUID.randomUUID(),
                UUID.randomUUID(),
                claimedAt,
                retries,
                retries,
                "https://example.com/",
                keys,
                "cycle.created",
                NOW,
                "{}");
    }

    static DeliveryQueue.EndpointQueue endpointQueue(UUID webhook, boolean failing) {
        return new DeliveryQueue.EndpointQueue(ORGANIZATION, webhook, true, failing);
    }

    static AttemptOutcome status(int status) {
        return status(status, null);
    }

    static AttemptOutcome status(int status, Duration retryAfter) {
        return new AttemptOutcome(status, null, Duration.ofMillis(100), "", retryAfter);
    }

    static AttemptOutcome error(String error, Duration duration) {
        return new AttemptOutcome(null, error, duration, null, null);
    }

    static AttemptResult result(ClaimedDelivery delivery, Instant attemptedAt, AttemptOutcome outcome) {
        return new AttemptResult(delivery, attemptedAt, outcome);
    }
}
