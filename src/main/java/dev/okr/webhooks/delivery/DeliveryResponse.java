package dev.okr.webhooks.delivery;

import dev.okr.platform.http.EnumNames;
import dev.okr.platform.ids.IdKind;
import dev.okr.platform.transactions.Sql;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Optional;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** A delivery, as lists show it. */
@Schema(name = "Delivery", description = "The delivery of one event to one webhook.")
public record DeliveryResponse(
        @Schema(description = "The delivery's id.", examples = "dlv_01k9m2x7q4e8rvb3t5w6y0zacd")
        String id,

        @Schema(description = "The id of the webhook.", examples = "wh_01k9m2x7q4e8rvb3t5w6y0zacd")
        String webhookId,

        @Schema(
                description = "The id of the event, the `webhook-id` of every attempt.",
                examples = "evt_01k9m2x7q4e8rvb3t5w6y0zacd")
        String eventId,

        @Schema(description = "The type of the event.", examples = "check_in.created")
        String eventType,

        @Schema(description = "`pending` until the delivery succeeds or is given up.", examples = "succeeded")
        DeliveryStatus status,

        @Schema(
                description = "Why the delivery was given up. With `exhausted`, every attempt failed. With `gone`, the "
                        + "receiver answered 410. With `deactivated`, the webhook was deactivated.")
        @Nullable
        FailureReason failureReason,

        @Schema(description = "The number of attempts so far.", minimum = "0", format = "int32", examples = "1")
        int attemptsCount,

        @Schema(
                description =
                        "The time of the next attempt. Absent if the delivery is finished or about to be attempted.")
        @Nullable
        Instant nextAttemptAt,

        @Schema(description = "When the delivery was queued.", examples = "2027-01-11T09:00:00Z")
        Instant createdAt,

        @Schema(
                description = "When the last attempt was recorded, or the status changed for another reason.",
                examples = "2027-01-11T09:00:01Z")
        Instant updatedAt) {

    /** Reads a delivery without the type of its event, which {@link #withEventType} adds. */
    static DeliveryResponse read(ResultSet row) throws SQLException {
        return new DeliveryResponse(
                IdKind.DELIVERY.format(Sql.uuid(row, "id")),
                IdKind.WEBHOOK.format(Sql.uuid(row, "webhook_id")),
                IdKind.EVENT.format(Sql.uuid(row, "event_id")),
                "",
                EnumNames.parse(DeliveryStatus.class, row.getString("status")).orElseThrow(),
                Optional.ofNullable(row.getString("failure_reason"))
                        .flatMap(reason -> EnumNames.parse(FailureReason.class, reason))
                        .orElse(null),
                row.getInt("attempts"),
                row.getObject("claim") == null ? Sql.instantOrNull(row, "due_at") : null,
                Sql.instant(row, "created_at"),
                Sql.instant(row, "updated_at"));
    }

    DeliveryResponse withEventType(String type) {
        return new DeliveryResponse(
                id,
                webhookId,
                eventId,
                type,
                status,
                failureReason,
                attemptsCount,
                nextAttemptAt,
                createdAt,
                updatedAt);
    }

    static DeliveryResponse of(Delivery delivery, String eventType) {
        return new DeliveryResponse(
                IdKind.DELIVERY.format(delivery.id()),
                IdKind.WEBHOOK.format(delivery.webhookId),
                IdKind.EVENT.format(delivery.eventId),
                eventType,
                delivery.status,
                delivery.failureReason,
                delivery.attempts,
                delivery.nextAttemptAt().orElse(null),
                delivery.createdAt,
                delivery.updatedAt);
    }
}
