package dev.okr.webhooks.delivery;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * How a webhook is doing.
 *
 * @param pending how much is still to be delivered, counted up to {@link WebhookHealthQuery#MAX_COUNTED}
 * @param succeededAt the last attempt that succeeded; null when none of the newest deliveries has one
 * @param failedAt the last attempt that failed; null when none of the newest deliveries has one
 */
public record WebhookHealth(
        long pending,
        @Nullable Instant succeededAt,
        @Nullable Instant failedAt) {
    /** Of a webhook that has no deliveries. */
    public static final WebhookHealth NONE = new WebhookHealth(0, null, null);

    /** Whether there is more pending than was counted. */
    public boolean isUncounted() {
        return pending >= WebhookHealthQuery.MAX_COUNTED;
    }
}
