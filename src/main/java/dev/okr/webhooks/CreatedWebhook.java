package dev.okr.webhooks;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import org.eclipse.microprofile.openapi.annotations.media.Schema;

/** A new webhook with its secret. No other response shows the secret. */
@Schema(name = "CreatedWebhook", description = "A new webhook with its secret. No later response shows the secret.")
public record CreatedWebhook(
        @JsonUnwrapped WebhookResponse webhook,

        @Schema(
                description = "The secret that signs deliveries. Store it now. It is not shown again.",
                examples = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
        String secret) {

    static CreatedWebhook of(Webhook webhook, SigningSecret secret) {
        return new CreatedWebhook(WebhookResponse.of(webhook), secret.text());
    }

    /** Keeps the secret out of logs. */
    @Override
    public String toString() {
        return "CreatedWebhook " + webhook.id();
    }
}
