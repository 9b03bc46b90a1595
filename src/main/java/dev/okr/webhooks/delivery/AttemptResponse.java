package dev.okr.webhooks.delivery;

import java.time.Instant;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** An attempt, as the details of a delivery show it. */
@Schema(name = "DeliveryAttempt", description = "One attempt of a delivery and its outcome.")
public record AttemptResponse(
        @Schema(description = "When the attempt started.", examples = "2027-01-11T09:00:00Z")
        Instant attemptedAt,

        @Schema(
                description = "The duration of the attempt in milliseconds.",
                minimum = "0",
                format = "int32",
                examples = "120")
        int durationMs,

        @Schema(
                description = "The status of the response. Absent if there was no response.",
                minimum = "100",
                maximum = "999",
                format = "int32",
                examples = "200")
        @Nullable
        Integer statusCode,

        @Schema(
                description = "Why there was no usable response, such as `timeout`, `connection_refused` or "
                        + "`tls_failed`. Absent if there was one.",
                examples = "timeout")
        @Nullable
        String error,

        @Schema(description = "The first KiB of the response body. Absent if it was empty.", examples = "ok") @Nullable
        String response) {

    static AttemptResponse of(DeliveryAttempt attempt) {
        return new AttemptResponse(
                attempt.attemptedAt, attempt.durationMillis, attempt.statusCode, attempt.error, attempt.response);
    }
}
