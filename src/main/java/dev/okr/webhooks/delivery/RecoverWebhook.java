package dev.okr.webhooks.delivery;

import dev.okr.platform.http.BodyReader;
import java.time.Instant;
import org.eclipse.microprofile.openapi.annotations.media.Schema;

/** The request for a recovery. */
@Schema(name = "RecoverWebhook", description = "The events to recover.")
public record RecoverWebhook(
        @Schema(
                description = "The start of the recovery. Events since this time are sent if they are still stored.",
                examples = "2027-01-11T09:00:00Z")
        Instant since) {

    static RecoverWebhook read(BodyReader body) {
        var since = body.requiredTimestamp("since");
        body.verify();
        return new RecoverWebhook(since);
    }
}
