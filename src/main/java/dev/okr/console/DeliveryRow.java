package dev.okr.console;

import dev.okr.webhooks.delivery.DeliveryDetail;
import dev.okr.webhooks.delivery.DeliveryResponse;
import dev.okr.webhooks.delivery.DeliveryStatus;
import dev.okr.webhooks.delivery.FailureReason;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A delivery as pages show one.
 *
 * @param reason why it was given up; null when it was not
 * @param next when it is attempted next; null when it is not, or about to be
 */
public record DeliveryRow(
        String id,
        String eventId,
        String type,
        DeliveryStatus status,
        @Nullable String reason,
        int attempts,
        Moment created,
        @Nullable Moment next) {

    static DeliveryRow of(DeliveryResponse delivery) {
        return new DeliveryRow(
                delivery.id(),
                delivery.eventId(),
                delivery.eventType(),
                delivery.status(),
                reason(delivery.failureReason()),
                delivery.attemptsCount(),
                Moment.toTheSecond(delivery.createdAt()),
                moment(delivery.nextAttemptAt()));
    }

    static DeliveryRow of(DeliveryDetail delivery) {
        return new DeliveryRow(
                delivery.id(),
                delivery.eventId(),
                delivery.eventType(),
                delivery.status(),
                reason(delivery.failureReason()),
                delivery.attemptsCount(),
                Moment.toTheSecond(delivery.createdAt()),
                moment(delivery.nextAttemptAt()));
    }

    public String state() {
        return switch (status) {
            case PENDING -> "Pending";
            case SUCCEEDED -> "Succeeded";
            case FAILED -> "Failed";
        };
    }

    public boolean succeeded() {
        return status == DeliveryStatus.SUCCEEDED;
    }

    public boolean failed() {
        return status == DeliveryStatus.FAILED;
    }

    private static @Nullable String reason(@Nullable FailureReason reason) {
        return switch (reason) {
            case EXHAUSTED -> "every attempt failed";
            case GONE -> "the receiver is gone (410)";
            case DEACTIVATED -> "the webhook was deactivated";
            case null -> null;
        };
    }

    private static @Nullable Moment moment(@Nullable Instant instant) {
        return instant == null ? null : Moment.toTheSecond(instant);
    }
}
