package dev.okr.webhooks;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What came of an attempt.
 *
 * @param statusCode what the subscriber answered; null when there was no answer to count
 * @param error a stable snake_case code; null when there was a status
 * @param duration from the check of the target to the end of the response
 * @param response the first {@link Excerpt#MAX_BYTES} of the answer's body as text; null when there were none
 * @param retryAfter how long the subscriber asked to be left alone; null when it did not
 */
public record AttemptOutcome(
        @Nullable Integer statusCode,
        @Nullable String error,
        Duration duration,
        @Nullable String response,
        @Nullable Duration retryAfter) {
    private static final int GONE = 410;

    /** Whether the subscriber took the event: any 2xx. */
    public boolean succeeded() {
        return statusCode != null && isSuccess(statusCode);
    }

    /** Whether the subscriber wants no more events. */
    public boolean gone() {
        return statusCode != null && statusCode == GONE;
    }

    static boolean isSuccess(int statusCode) {
        return statusCode >= 200 && statusCode < 300;
    }

    static AttemptOutcome failed(String error, Duration duration) {
        return new AttemptOutcome(null, error, duration, null, null);
    }
}
