package dev.okr.webhooks;

import dev.okr.platform.errors.FieldError;
import dev.okr.platform.http.BodyReader;
import dev.okr.platform.http.FieldChange;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.eclipse.microprofile.openapi.annotations.enums.SchemaType;
import org.eclipse.microprofile.openapi.annotations.media.Schema;

/** The request to change a webhook. */
@Schema(name = "UpdateWebhook", description = "Changes of a webhook. Absent fields keep their values.")
public record UpdateWebhook(
        @Schema(
                implementation = String.class,
                format = "uri",
                maxLength = TargetUrl.MAX_CHARACTERS,
                description = "The URL to which events are sent. It must be an `https` URL on the public internet, "
                        + "without user name, password or fragment.",
                examples = "https://example.com/hooks/okr")
        FieldChange<String> url,

        @Schema(
                type = SchemaType.ARRAY,
                implementation = SubscribedEvent.class,
                minItems = 1,
                description = "The event types to send, or `*` for all.",
                examples = "[\"objective.updated\", \"check_in.created\"]")
        FieldChange<List<String>> events,

        @Schema(
                implementation = Boolean.class,
                description = "Whether events are sent. Reactivating clears `disabled_reason`.",
                examples = "true")
        FieldChange<Boolean> active) {

    /** An unchanged URL is not checked, so that a webhook whose target is no longer valid can be deactivated. */
    static UpdateWebhook read(BodyReader body, Webhook webhook, Function<String, Optional<FieldError>> urlCheck) {
        var url = body.changedText("url", text -> text.equals(webhook.url) ? Optional.empty() : urlCheck.apply(text));
        var events = body.changedChoices("events", SubscribedEvent.CHOICES);
        var active = body.changedBoolean("active");
        body.verify();
        return new UpdateWebhook(url, events, active);
    }
}
