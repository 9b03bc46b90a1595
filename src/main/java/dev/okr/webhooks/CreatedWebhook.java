package dev.okr.webhooks;

import java.time.Instant;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.enums.SchemaType;
import org.eclipse.microprofile.openapi.annotations.media.Schema;

/** A new webhook with its secret. No other response shows the secret. */
@Schema(name = "CreatedWebhook", description = "A new webhook with its secret. No later response shows the secret.")
public record CreatedWebhook(
        @Schema(description = "The webhook's id.", examples = "wh_01k9m2x7q4e8rvb3t5w6y0zacd")
        String id,

        @Schema(description = "Where events are sent.", format = "uri", examples = "https://example.com/hooks/okr")
        String url,

        @Schema(
                type = SchemaType.ARRAY,
                implementation = SubscribedEvent.class,
                minItems = 1,
                description = "The event types that are sent; `*` for all.",
                examples = "[\"objective.updated\", \"check_in.created\"]")
        List<String> events,

        @Schema(description = "Whether events are sent. True for a new webhook.", examples = "true")
        boolean active,

        @Schema(
                description = "The secret that signs deliveries. Store it now. It is not shown again.",
                examples = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
        String secret,

        @Schema(description = "When the webhook was created.", examples = "2027-01-04T09:00:00Z")
        Instant createdAt,

        @Schema(description = "Equals `created_at` for a new webhook.", examples = "2027-01-04T09:00:00Z")
        Instant updatedAt) {

    static CreatedWebhook of(Webhook webhook, SigningSecret secret) {
        var response = WebhookResponse.of(webhook);
        return new CreatedWebhook(
                response.id(),
                response.url(),
                response.events(),
                response.active(),
                secret.text(),
                response.createdAt(),
                response.updatedAt());
    }

    /** Keeps the secret out of logs. */
    @Override
    public String toString() {
        return "CreatedWebhook " + id;
    }
}
