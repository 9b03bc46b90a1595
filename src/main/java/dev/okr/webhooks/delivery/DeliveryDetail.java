package dev.okr.webhooks.delivery;

import dev.okr.events.Event;
import dev.okr.events.EventResponse;
import java.time.Instant;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** A delivery with its event and its attempts. */
@Schema(name = "DeliveryDetail", description = "A delivery with its event and its attempts.")
public record DeliveryDetail(
        @Schema(description = "The delivery's id.", required = true, examples = "dlv_01k9m2x7q4e8rvb3t5w6y0zacd")
        String id,

        @Schema(description = "The id of the webhook.", required = true, examples = "wh_01k9m2x7q4e8rvb3t5w6y0zacd")
        String webhookId,

        @Schema(
                description = "The id of the event, the `webhook-id` of every attempt.",
                required = true,
                examples = "evt_01k9m2x7q4e8rvb3t5w6y0zacd")
        String eventId,

        @Schema(description = "The type of the event.", required = true, examples = "check_in.created")
        String eventType,

        @Schema(
                description = "`pending` while it is to be attempted, now or later.",
                required = true,
                examples = "succeeded")
        DeliveryStatus status,

        @Schema(
                description = "Why it was given up: every attempt failed, the receiver is `gone` (410), or the webhook "
                        + "was deactivated; only of a failed one.")
        @Nullable
        FailureReason failureReason,

        @Schema(
                description = "How many attempts have been made.",
                required = true,
                minimum = "0",
                format = "int32",
                examples = "1")
        int attemptsCount,

        @Schema(description = "When it is attempted again; absent when it is finished or about to be attempted.")
        @Nullable
        Instant nextAttemptAt,

        @Schema(description = "The event: the body of every attempt.", required = true)
        EventResponse event,

        @Schema(description = "The newest attempts, at most 100 of them.", required = true, maxItems = 100)
        List<AttemptResponse> attempts,

        @Schema(description = "When it was queued.", required = true, examples = "2027-01-11T09:00:00Z")
        Instant createdAt,

        @Schema(
                description = "When the last attempt was recorded, or its status changed otherwise.",
                required = true,
                examples = "2027-01-11T09:00:01Z")
        Instant updatedAt) {

    public static DeliveryDetail of(Delivery delivery) {
        var event = Event.require(delivery.eventId);
        var shown = DeliveryResponse.of(delivery, event.type());
        return new DeliveryDetail(
                shown.id(),
                shown.webhookId(),
                shown.eventId(),
                shown.eventType(),
                shown.status(),
                shown.failureReason(),
                shown.attemptsCount(),
                shown.nextAttemptAt(),
                EventResponse.of(event),
                DeliveryAttempt.newest(delivery.id()).stream()
                        .map(AttemptResponse::of)
                        .toList(),
                shown.createdAt(),
                shown.updatedAt());
    }
}
