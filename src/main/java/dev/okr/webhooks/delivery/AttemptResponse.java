package dev.okr.webhooks.delivery;

import java.time.Instant;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** An attempt as its delivery shows it. */
@Schema(name = "DeliveryAttempt", description = "One attempt of a delivery and what came of it.")
public record AttemptResponse(
        @Schema(description = "When it began.", required = true, examples = "2027-01-11T09:00:00Z")
        Instant attemptedAt,

        @Schema(
                description = "How long it took, in milliseconds.",
                required = true,
                minimum = "0",
                format = "int32",
                examples = "120")
        int durationMs,

        @Schema(
                description = "The status that the receiver answered; absent when there was no answer.",
                minimum = "100",
                maximum = "999",
                format = "int32",
                examples = "200")
        @Nullable
        Integer statusCode,

        @Schema(
                description =
                        "Why there was no usable answer, such as `timeout`, `connection_refused` or `tls_failed`; "
                                + "absent when there was one.",
                examples = "timeout")
        @Nullable
        String error,

        @Schema(description = "The first KiB of the answer; absent without one.", examples = "ok") @Nullable
        String response) {

    static AttemptResponse of(DeliveryAttempt attempt) {
        return new AttemptResponse(
                attempt.attemptedAt, attempt.durationMillis, attempt.statusCode, attempt.error, attempt.response);
    }
}
