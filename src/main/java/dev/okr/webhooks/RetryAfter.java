package dev.okr.webhooks;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Parses the header with which a subscriber delays the next attempt. Its value is a number of seconds or a date (RFC
 * 9110, section 10.2.3).
 */
final class RetryAfter {
    static final String HEADER = "Retry-After";
    static final Duration MAX = Duration.ofHours(24);

    private static final Pattern SECONDS = Pattern.compile("[0-9]+");
    private static final int MAX_SECONDS_DIGITS = 9;

    private RetryAfter() {}

    /** @return from zero to {@link #MAX}; null if the header is absent or invalid */
    static @Nullable Duration parse(@Nullable String value, Instant now) {
        var wait = value == null ? null : wait(value.strip(), now);
        if (wait == null) {
            return null;
        }
        return wait.isNegative() ? Duration.ZERO : wait.compareTo(MAX) > 0 ? MAX : wait;
    }

    private static @Nullable Duration wait(String value, Instant now) {
        if (SECONDS.matcher(value).matches()) {
            return value.length() > MAX_SECONDS_DIGITS ? MAX : Duration.ofSeconds(Long.parseLong(value));
        }
        try {
            return Duration.between(now, DateTimeFormatter.RFC_1123_DATE_TIME.parse(value, Instant::from));
        } catch (DateTimeException notADate) {
            return null;
        }
    }
}
