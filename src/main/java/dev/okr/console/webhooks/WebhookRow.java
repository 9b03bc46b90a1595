package dev.okr.console.webhooks;

import dev.okr.webhooks.Webhook;
import dev.okr.webhooks.delivery.WebhookHealth;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A webhook as pages show it.
 *
 * @param events the subscribed event types, in one line
 * @param active whether events are sent
 * @param failing whether the last attempts failed
 * @param reason why the webhook is inactive; null if it is active
 * @param pending the number of pending deliveries
 */
public record WebhookRow(
        String id,
        String url,
        String events,
        boolean active,
        boolean failing,
        @Nullable String reason,
        @Nullable Instant failingSince,
        @Nullable Instant succeeded,
        @Nullable Instant failed,
        String pending,
        Instant created) {

    static WebhookRow of(Webhook.Listed webhook, WebhookHealth health) {
        var response = webhook.shown();
        return new WebhookRow(
                response.id(),
                response.url(),
                String.join(", ", response.events()),
                response.active(),
                response.active() && webhook.failingSince() != null,
                response.active() ? null : reason(response.disabledReason()),
                webhook.failingSince(),
                health.succeededAt(),
                health.failedAt(),
                pending(health),
                response.createdAt());
    }

    public String state() {
        if (!active) {
            return "Deactivated";
        }
        return failing ? "Failing" : "Active";
    }

    private static String reason(@Nullable String code) {
        return switch (code) {
            case "gone" -> "The receiver answered 410 Gone.";
            case "failing" -> "All attempts failed for five days.";
            case null, default -> "A user deactivated it.";
        };
    }

    private static String pending(WebhookHealth health) {
        return health.isUncounted() ? health.pending() + " or more" : String.valueOf(health.pending());
    }
}
