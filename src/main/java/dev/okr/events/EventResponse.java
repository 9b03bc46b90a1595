package dev.okr.events;

import com.fasterxml.jackson.annotation.JsonRawValue;
import com.fasterxml.jackson.annotation.JsonValue;
import org.eclipse.microprofile.openapi.annotations.enums.SchemaType;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.media.SchemaProperty;

/**
 * An event, byte for byte as it was sent.
 *
 * @param payload the body of the event's deliveries
 */
@Schema(
        name = "Event",
        description = "A change of a resource. Webhooks receive exactly this object.",
        type = SchemaType.OBJECT,
        requiredProperties = {"id", "type", "timestamp", "data"},
        properties = {
            @SchemaProperty(
                    name = "id",
                    type = SchemaType.STRING,
                    description = "The event's id. The header `webhook-id` of its deliveries has the same value.",
                    examples = "evt_01k9m2x7q4e8rvb3t5w6y0zacd"),
            @SchemaProperty(name = "type", ref = "EventType"),
            @SchemaProperty(
                    name = "timestamp",
                    type = SchemaType.STRING,
                    format = "date-time",
                    description = "When the change happened.",
                    examples = "2027-01-11T09:00:00Z"),
            @SchemaProperty(
                    name = "data",
                    type = SchemaType.OBJECT,
                    description = "The resource as lists show it. After a deletion, the resource as it was before."),
            @SchemaProperty(
                    name = "previous",
                    type = SchemaType.OBJECT,
                    description =
                            "The old values of the fields that changed, without `updated_at`. `null` if a field had "
                                    + "no value. Only updates have it."),
            @SchemaProperty(name = "actor", implementation = EventResponse.Actor.class)
        })
public record EventResponse(
        @Schema(hidden = true) @JsonValue @JsonRawValue String payload) {

    /** The user who caused the event. */
    @Schema(name = "EventActor", description = "The user who caused the event. Absent if no user did.")
    public record Actor(
            @Schema(description = "The id of the user.", examples = "usr_01k9m2x7q4e8rvb3t5w6y0zacd")
            String userId) {}

    public static EventResponse of(Event event) {
        return new EventResponse(event.payload());
    }
}
