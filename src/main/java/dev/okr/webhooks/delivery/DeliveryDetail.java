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
                description = "`pending` until the delivery succeeds or is given up.",
                required = true,
                examples = "succeeded")
        DeliveryStatus status,

        @Schema(
                description = "Why a failed delivery was given up: every attempt failed, the receiver is `gone` (410), "
                        + "or the webhook was deactivated.")
        @Nullable
        FailureReason failureReason,

        @Schema(
                description = "The number of attempts so far.",
                required = true,
                minimum = "0",
                format = "int32",
                examples = "1")
        int attemptsCount,

        @Schema(
                description =
                        "The time of the next attempt. Absent if the delivery is finished or about to be attempted.")
        @Nullable
        Instant nextAttemptAt,

        @Schema(description = "The event, which is the body of every attempt.", required = true)
        EventResponse event,

        @Schema(description = "The newest attempts, at most 100.", required = true, maxItems = 100)
        List<AttemptResponse> attempts,

        @Schema(description = "When the delivery was queued.", required = true, examples = "2027-01-11T09:00:00Z")
        Instant createdAt,

        @Schema(
                description = "When the last attempt was recorded, or the status changed for another reason.",
                required = true,
                examples = "2027-01-11T09:00:01Z")
        Instant updatedAt) {

    public static DeliveryDetail of(Delivery delivery) {
        var event = Event.require(delivery.eventId);
        var response = DeliveryResponse.of(delivery, event.type());
        return new DeliveryDetail(
                response.id(),
                response.webhookId(),
                response.eventId(),
                response.eventType(),
                response.status(),
                response.failureReason(),
                response.attemptsCount(),
                response.nextAttemptAt(),
                EventResponse.of(event),
                AttemptResponse.newest(delivery.id()),
                response.createdAt(),
                response.updatedAt());
    }
}
