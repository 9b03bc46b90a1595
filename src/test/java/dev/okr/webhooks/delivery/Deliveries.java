package dev.okr.webhooks.delivery;

import dev.okr.platform.encryption.EncryptedSecret;
import dev.okr.webhooks.AttemptOutcome;
import dev.okr.webhooks.SigningKeys;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;

/** Claimed deliveries and outcomes for tests without a database. */
final class Deliveries {
    static final Instant NOW = Instant.parse("2027-01-11T09:00:00Z");

    private Deliveries() {}

    static Attempt claimed(UUID webhook) {
        return claimed(webhook, NOW, 0);
    }

    static Attempt claimed(UUID webhook, Instant claimedAt, int retries) {
        return claimed(lane(webhook, false), claimedAt, retries);
    }

    static Attempt claimed(Lane lane, Instant claimedAt, int retries) {
        return claimed(lane, claimedAt, retries, 2);
    }

    static Attempt claimed(Lane lane, Instant claimedAt, int retries, int bytes) {
        var keys =
                new SigningKeys(lane.organizationId(), lane.webhookId(), new EncryptedSecret("k", new byte[0]), null);
        return new Attempt(
                lane,
                UUID.randomUUID(),
                UUID.randomUUID(),
                UUID.randomUUID(),
                claimedAt,
                retries,
                retries,
                new Attempt.Endpoint("https://example.com/", keys),
                "cycle.created",
                NOW,
                new Payload(bytes, bytes <= Payload.SMALL_BYTES ? new byte[bytes] : null));
    }

    /** The lane of a webhook. Each webhook has its own organisation. */
    static Lane lane(UUID webhook, boolean failing) {
        return new Lane(webhook, webhook, failing);
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

    static Attempt.Made made(Attempt attempt, Instant startedAt, AttemptOutcome outcome) {
        return made(attempt, startedAt, MonotonicClock.now(), outcome);
    }

    static Attempt.Made made(Attempt attempt, Instant startedAt, Instant endedAt, AttemptOutcome outcome) {
        var schedule = new RetrySchedule(List.of(Duration.ofSeconds(5)), () -> 0.5);
        return attempt.made(startedAt, endedAt, outcome, schedule);
    }
}
