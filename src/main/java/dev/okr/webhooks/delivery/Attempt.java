package dev.okr.webhooks.delivery;

import dev.okr.platform.ids.IdKind;
import dev.okr.platform.ids.UuidV7;
import dev.okr.webhooks.AttemptOutcome;
import dev.okr.webhooks.SigningKeys;
import java.time.Instant;
import java.util.UUID;

/**
 * An attempt of a delivery that only this replica may make, until the lease of its claim expires.
 *
 * @param claim identifies this claim among all claims of the delivery
 * @param claimedAt the time of the claim by {@link MonotonicClock}
 * @param attempts the number of attempts recorded before this one
 * @param retries the number of retry delays used before this attempt
 * @param happenedAt when the event happened
 */
record Attempt(
        Lane lane,
        UUID deliveryId,
        UUID eventId,
        UUID claim,
        Instant claimedAt,
        int attempts,
        int retries,
        Endpoint endpoint,
        String eventType,
        Instant happenedAt,
        Payload payload) {

    /** Where a webhook's deliveries go. */
    record Endpoint(String url, SigningKeys keys) {}

    /**
     * An attempt that was made.
     *
     * @param id stays the same if the result is written again, which happens when the reply to a commit is lost
     * @param startedAt by the clock of this replica
     * @param endedAt by {@link MonotonicClock}
     */
    record Made(Attempt attempt, UUID id, Instant startedAt, Instant endedAt, AttemptOutcome outcome, Verdict verdict) {
        /** When the attempt ended, by the clock of this replica. */
        Instant endedAtHere() {
            return startedAt.plus(outcome.duration());
        }
    }

    Made made(Instant startedAt, Instant endedAt, AttemptOutcome outcome, RetrySchedule schedule) {
        var verdict = Verdict.of(outcome, retries, schedule);
        return new Made(this, UuidV7.at(startedAt), startedAt, endedAt, outcome, verdict);
    }

    UUID organizationId() {
        return lane.organizationId();
    }

    UUID webhookId() {
        return lane.webhookId();
    }

    String publicId() {
        return IdKind.DELIVERY.format(deliveryId);
    }

    /** Keeps URL, keys and payload out of logs. */
    @Override
    public String toString() {
        return publicId();
    }
}
