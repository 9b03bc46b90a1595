package dev.okr.console;

import dev.okr.webhooks.Webhook;
import dev.okr.webhooks.delivery.WebhookHealth;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A webhook as pages show one.
 *
 * @param events the types of events that it asked for, in one line
 * @param active whether anything is sent to it
 * @param failing whether its last attempts failed
 * @param reason why nothing is sent to it; null while something is
 * @param pending how much is still to be delivered
 */
public record WebhookRow(
        String id,
        String url,
        String events,
        boolean active,
        boolean failing,
        @Nullable String reason,
        @Nullable Moment failingSince,
        @Nullable Moment succeeded,
        @Nullable Moment failed,
        String pending,
        Moment created) {

    static WebhookRow of(Webhook.Listed webhook, WebhookHealth health) {
        var shown = webhook.shown();
        return new WebhookRow(
                shown.id(),
                shown.url(),
                String.join(", ", shown.events()),
                shown.active(),
                shown.active() && webhook.failingSince() != null,
                shown.active() ? null : reason(shown.disabledReason()),
                Moment.ofNullable(webhook.failingSince()),
                moment(health.succeededAt()),
                moment(health.failedAt()),
                pending(health),
                Moment.of(shown.createdAt()));
    }

    public String state() {
        if (!active) {
            return "Deactivated";
        }
        return failing ? "Failing" : "Active";
    }

    private static String reason(@Nullable String code) {
        return switch (code) {
            case "gone" -> "Its receiver answered that it is gone for good (410).";
            case "failing" -> "It failed for five days without one success.";
            case null, default -> "Somebody switched it off.";
        };
    }

    private static String pending(WebhookHealth health) {
        return health.isUncounted() ? health.pending() + " or more" : String.valueOf(health.pending());
    }

    private static @Nullable Moment moment(@Nullable Instant instant) {
        return instant == null ? null : Moment.toTheSecond(instant);
    }
}
