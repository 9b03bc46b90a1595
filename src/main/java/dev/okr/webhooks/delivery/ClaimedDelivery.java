package dev.okr.webhooks.delivery;

import dev.okr.platform.ids.IdKind;
import dev.okr.webhooks.SigningKeys;
import java.time.Instant;
import java.util.UUID;

/**
 * A delivery that only this replica may attempt until the lease expires.
 *
 * @param claim identifies this claim among all claims of the delivery
 * @param claimedAt the time of the claim by {@link MonotonicClock}
 * @param attempts the number of attempts recorded so far
 * @param retries the number of retry delays used so far
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
