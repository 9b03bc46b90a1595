package dev.okr.console.webhooks;

import dev.okr.webhooks.delivery.AttemptResponse;
import dev.okr.webhooks.delivery.DeliveryResponse;
import dev.okr.webhooks.delivery.DeliveryStatus;
import dev.okr.webhooks.delivery.FailureReason;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A delivery as pages show it.
 *
 * @param reason why the delivery was given up; null if it was not
 * @param next the time of the next attempt; null if none is scheduled
 */
public record DeliveryRow(
        String id,
        String eventId,
        String type,
        DeliveryStatus status,
        @Nullable String reason,
        int attempts,
        Instant created,
        @Nullable Instant next) {

    static DeliveryRow of(DeliveryResponse delivery) {
        return new DeliveryRow(
                delivery.id(),
                delivery.eventId(),
                delivery.eventType(),
                delivery.status(),
                reason(delivery.failureReason()),
                delivery.attemptsCount(),
                delivery.createdAt(),
                delivery.nextAttemptAt());
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
            case GONE -> "the receiver answered 410 Gone";
            case DEACTIVATED -> "the webhook was deactivated";
            case null -> null;
        };
    }

    /**
     * An attempt as the page of its delivery shows it.
     *
     * @param outcome the status of the response, or the reason why there was no usable response
     * @param timestamp the value of the header {@code webhook-timestamp}
     * @param response the start of the response body, which the receiver wrote; null if it was empty
     */
    public record Attempt(
            int number,
            Instant at,
            int durationMillis,
            String outcome,
            boolean succeeded,
            long timestamp,
            @Nullable String response) {

        static Attempt of(AttemptResponse attempt, int number) {
            var status = attempt.statusCode();
            var error =
                    attempt.error() == null ? "no response" : attempt.error().replace('_', ' ');
            return new Attempt(
                    number,
                    attempt.attemptedAt(),
                    attempt.durationMs(),
                    status == null ? error : "status " + status,
                    status != null && status / 100 == 2,
                    attempt.attemptedAt().getEpochSecond(),
                    attempt.response());
        }
    }
}
