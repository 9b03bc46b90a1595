package dev.okr.webhooks.delivery;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The recent health of a webhook.
 *
 * @param pending the number of pending deliveries, counted up to {@link WebhookHealthQuery#MAX_COUNTED}
 * @param succeededAt the time of the last successful attempt of the deliveries that were read; null if there is none
 * @param failedAt the time of the last failed attempt of the deliveries that were read; null if there is none
 */
public record WebhookHealth(
        long pending,
        @Nullable Instant succeededAt,
        @Nullable Instant failedAt) {
    /** The health of a webhook without deliveries. */
    public static final WebhookHealth NONE = new WebhookHealth(0, null, null);

    /** Whether there may be more pending deliveries than were counted. */
    public boolean isUncounted() {
        return pending >= WebhookHealthQuery.MAX_COUNTED;
    }
}
