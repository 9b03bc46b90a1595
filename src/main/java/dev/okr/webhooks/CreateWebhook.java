package dev.okr.webhooks;

import dev.okr.platform.errors.FieldError;
import dev.okr.platform.http.BodyReader;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.eclipse.microprofile.openapi.annotations.enums.SchemaType;
import org.eclipse.microprofile.openapi.annotations.media.Schema;

/** The request to create a webhook. */
@Schema(name = "CreateWebhook", description = "A webhook to create.")
public record CreateWebhook(
        @Schema(
                description = "The URL to which events are sent. It must be an `https` URL on the public internet, "
                        + "without user name, password or fragment.",
                format = "uri",
                maxLength = TargetUrl.MAX_CHARACTERS,
                examples = "https://example.com/hooks/okr")
        String url,

        @Schema(
                type = SchemaType.ARRAY,
                implementation = SubscribedEvent.class,
                minItems = 1,
                description = "The event types to send, or `*` for all.",
                examples = "[\"objective.updated\", \"check_in.created\"]")
        List<String> events,

        @Schema(
                implementation = String.class,
                required = false,
                minLength = SigningSecret.MIN_CHARACTERS,
                maxLength = SigningSecret.MAX_CHARACTERS,
                description = "The secret that signs deliveries. After `whsec_`, it has the base64 of 24 to 64 bytes, "
                        + "which are the key. Without this prefix, it has 16 to 128 characters, and their UTF-8 bytes "
                        + "are the key. If it is absent, the service generates one.",
                examples = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
        SigningSecret secret) {

    static CreateWebhook read(BodyReader body, Function<String, Optional<FieldError>> urlCheck) {
        var url = body.requiredText("url", urlCheck);
        var events = body.requiredChoices("events", SubscribedEvent.CHOICES);
        var secret = body.optionalText("secret", SigningSecret::check);
        body.verify();
        return new CreateWebhook(url, events, secret == null ? SigningSecret.generate() : SigningSecret.of(secret));
    }
}
