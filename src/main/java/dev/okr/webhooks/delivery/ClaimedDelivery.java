package dev.okr.webhooks.delivery;

import dev.okr.platform.ids.IdKind;
import dev.okr.webhooks.SigningKeys;
import java.time.Instant;
import java.util.UUID;

/**
 * A delivery that this replica alone may attempt, until its lease ends.
 *
 * @param claim tells this claim from any other, before or after it
 * @param claimedAt by {@link MonotonicClock}
 * @param attempts how many attempts have been recorded before
 * @param retries how many delays of the schedule have been used up
 * @param happenedAt when the event happened
 */
record ClaimedDelivery(
        UUID organizationId,
        UUID id,
        UUID webhookId,
        UUID eventId,
        UUID claim,
        Instant claimedAt,
        int attempts,
        int retries,
        String url,
        SigningKeys keys,
        String eventType,
        Instant happenedAt,
        String payload) {

    String publicId() {
        return IdKind.DELIVERY.format(id);
    }

    /** Keeps URL, keys and payload out of logs. */
    @Override
    public String toString() {
        return publicId();
    }
}
