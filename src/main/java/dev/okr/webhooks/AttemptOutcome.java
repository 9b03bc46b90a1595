package dev.okr.webhooks;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The outcome of an attempt.
 *
 * @param statusCode the status of the response; null if there is no response, if its status does not have three digits,
 *     or if reading the body of a 2xx failed
 * @param error a stable snake_case code; null if there is a status
 * @param duration from the check of the target to the end of the response
 * @param response the first {@link Excerpt#MAX_BYTES} of the response body as text; null if it is empty or there is no
 *     response
 * @param retryAfter the delay that the subscriber asked for with {@code Retry-After}; null without one
 */
public record AttemptOutcome(
        @Nullable Integer statusCode,
        @Nullable String error,
        Duration duration,
        @Nullable String response,
        @Nullable Duration retryAfter) {
    private static final int GONE = 410;

    /** Whether the subscriber accepted the event with a 2xx. */
    public boolean succeeded() {
        return statusCode != null && isSuccess(statusCode);
    }

    /** Whether the subscriber answered 410 and wants no more events. */
    public boolean gone() {
        return statusCode != null && statusCode == GONE;
    }

    /** Whether the number has three digits, like every status (RFC 9110, section 15). */
    static boolean isStatus(int number) {
        return number >= 100 && number <= 999;
    }

    static boolean isSuccess(int statusCode) {
        return statusCode >= 200 && statusCode < 300;
    }

    static AttemptOutcome failed(String error, Duration duration) {
        return new AttemptOutcome(null, error, duration, null, null);
    }
}
