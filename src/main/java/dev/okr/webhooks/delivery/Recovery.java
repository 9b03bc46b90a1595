package dev.okr.webhooks.delivery;

import java.time.Instant;
import org.eclipse.microprofile.openapi.annotations.media.Schema;

/** A recovery in progress. */
@Schema(name = "Recovery", description = "A recovery in progress.")
public record Recovery(
        @Schema(description = "The id of the webhook.", examples = "wh_01k9m2x7q4e8rvb3t5w6y0zacd")
        String webhookId,

        @Schema(description = "Events since this time are recovered.", examples = "2027-01-11T09:00:00Z")
        Instant since) {}
