package dev.okr.console;

import dev.okr.webhooks.delivery.AttemptResponse;
import org.jspecify.annotations.Nullable;

/**
 * An attempt as the page of its delivery shows it.
 *
 * @param outcome the status of the response, or the reason why there was no usable response
 * @param timestamp the value of the header {@code webhook-timestamp}
 * @param response the start of the response body, which the receiver wrote; null if it was empty
 */
public record AttemptRow(
        int number,
        Moment at,
        int durationMillis,
        String outcome,
        boolean succeeded,
        long timestamp,
        @Nullable String response) {

    static AttemptRow of(AttemptResponse attempt, int number) {
        var status = attempt.statusCode();
        var error = attempt.error() == null ? "no response" : attempt.error().replace('_', ' ');
        return new AttemptRow(
                number,
                Moment.toTheSecond(attempt.attemptedAt()),
                attempt.durationMs(),
                status == null ? error : "status " + status,
                status != null && status / 100 == 2,
                attempt.attemptedAt().getEpochSecond(),
                attempt.response());
    }
}
