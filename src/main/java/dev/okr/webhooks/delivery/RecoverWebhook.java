package dev.okr.webhooks.delivery;

import dev.okr.platform.http.BodyReader;
import java.time.Instant;
import org.eclipse.microprofile.openapi.annotations.media.Schema;

/** What is to be recovered. */
@Schema(name = "RecoverWebhook", description = "What is to be recovered.")
public record RecoverWebhook(
        @Schema(
                description = "Events from this moment on are looked at, as far as they are kept.",
                required = true,
                examples = "2027-01-11T09:00:00Z")
        Instant since) {

    static RecoverWebhook read(BodyReader body) {
        var since = body.requiredTimestamp("since");
        body.verify();
        return new RecoverWebhook(since);
    }
}
