package dev.okr.webhooks.delivery;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.okr.events.Event;
import dev.okr.events.EventResponse;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.media.Schema;

/** A delivery with its event and its attempts. */
@Schema(name = "DeliveryDetail", description = "A delivery with its event and its attempts.")
public record DeliveryDetail(
        @JsonUnwrapped DeliveryResponse delivery,

        @Schema(description = "The event, which is the body of every attempt.")
        EventResponse event,

        @Schema(description = "The newest attempts, at most 100.", maxItems = 100)
        List<AttemptResponse> attempts) {

    public static DeliveryDetail of(Delivery delivery) {
        var event = Event.require(delivery.eventId);
        return new DeliveryDetail(
                DeliveryResponse.of(delivery, event.type()),
                EventResponse.of(event),
                AttemptResponse.newest(delivery.id()));
    }
}
