package dev.okr.webhooks;

import java.time.Instant;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.enums.SchemaType;
import org.eclipse.microprofile.openapi.annotations.media.Schema;

/** A new webhook with its secret, which no other response shows. */
@Schema(name = "CreatedWebhook", description = "A new webhook with its secret, which is shown only now.")
public record CreatedWebhook(
        @Schema(description = "The webhook's id.", required = true, examples = "wh_01k9m2x7q4e8rvb3t5w6y0zacd")
        String id,

        @Schema(
                description = "Where events are sent.",
                required = true,
                format = "uri",
                examples = "https://example.com/hooks/okr")
        String url,

        @Schema(
                type = SchemaType.ARRAY,
                implementation = SubscribedEvent.class,
                required = true,
                minItems = 1,
                description = "The types of events that are sent; `*` for all.",
                examples = "[\"objective.updated\", \"check_in.created\"]")
        List<String> events,

        @Schema(description = "Whether events are sent: true at first.", required = true, examples = "true")
        boolean active,

        @Schema(
                description = "The secret that deliveries are signed with. Keep it: it is not shown again.",
                required = true,
                examples = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
        String secret,

        @Schema(description = "When the webhook was created.", required = true, examples = "2027-01-04T09:00:00Z")
        Instant createdAt,

        @Schema(description = "Equals `created_at` at first.", required = true, examples = "2027-01-04T09:00:00Z")
        Instant updatedAt) {

    static CreatedWebhook of(Webhook webhook, SigningSecret secret) {
        var shown = WebhookResponse.of(webhook);
        return new CreatedWebhook(
                shown.id(),
                shown.url(),
                shown.events(),
                shown.active(),
                secret.text(),
                shown.createdAt(),
                shown.updatedAt());
    }

    /** Keeps the secret out of logs. */
    @Override
    public String toString() {
        return "CreatedWebhook " + id;
    }
}
