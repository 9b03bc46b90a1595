package dev.okr.events;

import com.fasterxml.jackson.annotation.JsonRawValue;
import com.fasterxml.jackson.annotation.JsonValue;
import org.eclipse.microprofile.openapi.annotations.enums.SchemaType;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.media.SchemaProperty;

/**
 * An event as it was sent, to the byte.
 *
 * @param payload the body of the event's deliveries
 */
@Schema(
        name = "Event",
        description = "What happened to a resource: the very object that is sent to webhooks.",
        type = SchemaType.OBJECT,
        requiredProperties = {"id", "type", "timestamp", "data"},
        properties = {
            @SchemaProperty(
                    name = "id",
                    type = SchemaType.STRING,
                    description = "The event's id, the `webhook-id` of its deliveries.",
                    examples = "evt_01k9m2x7q4e8rvb3t5w6y0zacd"),
            @SchemaProperty(name = "type", ref = "EventType"),
            @SchemaProperty(
                    name = "timestamp",
                    type = SchemaType.STRING,
                    format = "date-time",
                    description = "When it happened.",
                    examples = "2027-01-11T09:00:00Z"),
            @SchemaProperty(
                    name = "data",
                    type = SchemaType.OBJECT,
                    description = "The resource as lists show it; deleted ones as they were last."),
            @SchemaProperty(
                    name = "previous",
                    type = SchemaType.OBJECT,
                    description = "The old values of the fields that changed, `null` for one that had no value; only "
                            + "of updates, and never with `updated_at`."),
            @SchemaProperty(name = "actor", implementation = EventResponse.Actor.class)
        })
public record EventResponse(
        @Schema(hidden = true) @JsonValue @JsonRawValue String payload) {

    /** Who did it. */
    @Schema(name = "EventActor", description = "Who did it; absent where time did.")
    public record Actor(
            @Schema(description = "The id of the user.", required = true, examples = "usr_01k9m2x7q4e8rvb3t5w6y0zacd")
            String userId) {}

    public static EventResponse of(Event event) {
        return new EventResponse(event.payload());
    }
}
