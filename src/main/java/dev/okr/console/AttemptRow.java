package dev.okr.console;

import dev.okr.webhooks.delivery.AttemptResponse;
import org.jspecify.annotations.Nullable;

/**
 * An attempt as the page of its delivery shows it.
 *
 * @param outcome the status that was answered, or why there was no usable answer
 * @param timestamp the value of the header: the second in which it was signed
 * @param response the beginning of the answer's body as somebody else wrote it; null for none
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
        var error = attempt.error() == null ? "no answer" : attempt.error().replace('_', ' ');
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
