package dev.okr.webhooks;

import dev.okr.platform.ids.IdKind;
import dev.okr.platform.transactions.Sql;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.enums.SchemaType;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** A webhook as the API shows it, without its secret. */
@Schema(name = "Webhook", description = "A subscription that sends events of an organisation to a URL.")
public record WebhookResponse(
        @Schema(description = "The webhook's id.", examples = "wh_01k9m2x7q4e8rvb3t5w6y0zacd")
        String id,

        @Schema(description = "Where events are sent.", format = "uri", examples = "https://example.com/hooks/okr")
        String url,

        @Schema(
                type = SchemaType.ARRAY,
                implementation = SubscribedEvent.class,
                minItems = 1,
                description = "The event types that are sent, or `*` for all.",
                examples = "[\"objective.updated\", \"check_in.created\"]")
        List<String> events,

        @Schema(description = "Whether events are sent.", examples = "true")
        boolean active,

        @Schema(description = "Why the service deactivated the webhook. Absent if it did not.") @Nullable
        String disabledReason,

        @Schema(description = "When the webhook was created.", examples = "2027-01-04T09:00:00Z")
        Instant createdAt,

        @Schema(description = "When the webhook was last changed.", examples = "2027-01-11T09:00:00Z")
        Instant updatedAt) {

    static WebhookResponse read(ResultSet row) throws SQLException {
        return new WebhookResponse(
                IdKind.WEBHOOK.format(Sql.uuid(row, "id")),
                row.getString("url"),
                List.of((String[]) row.getArray("events").getArray()),
                row.getBoolean("active"),
                row.getString("disabled_reason"),
                Sql.instant(row, "created_at"),
                Sql.instant(row, "updated_at"));
    }

    public static WebhookResponse of(Webhook webhook) {
        return new WebhookResponse(
                IdKind.WEBHOOK.format(webhook.id()),
                webhook.url,
                webhook.events,
                webhook.active,
                webhook.disabledReason,
                webhook.createdAt,
                webhook.updatedAt);
    }
}
