package dev.okr.platform.time;

import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Timestamps as text. Input is RFC 3339 with an offset. Output is UTC in whole seconds. */
public final class Timestamps {
    /** Limits the digits after the second. */
    private static final int MAX_LENGTH = 64;

    private static final Pattern RFC_3339 = Pattern.compile(
            "(\\d{4}-\\d{2}-\\d{2})[Tt](\\d{2}:\\d{2}:\\d{2})(?:\\.(\\d+))?(?:[Zz]|([+-])(\\d{2}):(\\d{2}))");
    private static final Instant FIRST = Instant.parse("0001-01-01T00:00:00Z");
    private static final Instant LAST = Instant.parse("9999-12-31T23:59:59.999999Z");
    private static final int MICRO_DIGITS = 6;

    private Timestamps() {}

    /**
     * The time of a change: now, but always later than the last change. The clocks of replicas differ, and a transaction
     * may have waited for a lock.
     */
    public static Instant later(Instant now, Instant last) {
        return now.isAfter(last) ? now : last.plus(1, ChronoUnit.MICROS);
    }

    /**
     * The time after a change. Responses show whole seconds. So a caller who repeats the shown time does not change its
     * fraction.
     */
    public static Instant changed(Instant before, Instant given) {
        return given.equals(before.truncatedTo(ChronoUnit.SECONDS)) ? before : given;
    }

    /** @throws DateTimeException if the time is not {@linkplain #inRange in range} */
    public static String format(Instant instant) {
        if (inRange(instant).isEmpty()) {
            throw new DateTimeException("A timestamp has four digits for the year, unlike " + instant);
        }
        // A page of 25 objectives with their key results has about 200 timestamps. A formatter is several times slower.
        var time = LocalDateTime.ofEpochSecond(instant.getEpochSecond(), 0, ZoneOffset.UTC);
        var text = "0000-00-00T00:00:00Z".getBytes(StandardCharsets.ISO_8859_1);
        twoDigits(text, 0, time.getYear() / 100);
        twoDigits(text, 2, time.getYear() % 100);
        twoDigits(text, 5, time.getMonthValue());
        twoDigits(text, 8, time.getDayOfMonth());
        twoDigits(text, 11, time.getHour());
        twoDigits(text, 14, time.getMinute());
        twoDigits(text, 17, time.getSecond());
        return new String(text, StandardCharsets.ISO_8859_1);
    }

    /** Formats with all six digits of the microseconds. */
    public static String formatExact(Instant instant) {
        var seconds = format(instant);
        var micros = String.valueOf(1_000_000 + instant.getNano() / 1_000);
        return seconds.substring(0, seconds.length() - 1) + '.' + micros.substring(1) + 'Z';
    }

    private static void twoDigits(byte[] text, int position, int number) {
        text[position] = (byte) ('0' + number / 10);
        text[position + 1] = (byte) ('0' + number % 10);
    }

    /** The time, if it is in the years 0001 to 9999 UTC. Otherwise empty. */
    public static Optional<Instant> inRange(Instant time) {
        return time.isBefore(FIRST) || time.isAfter(LAST) ? Optional.empty() : Optional.of(time);
    }

    /** Parses a timestamp, truncated to microseconds. Empty for other text and outside the years 0001 to 9999 UTC. */
    public static Optional<Instant> parse(String text) {
        if (text.length() > MAX_LENGTH) {
            return Optional.empty();
        }
        var match = RFC_3339.matcher(text);
        if (!match.matches()) {
            return Optional.empty();
        }
        try {
            var local = LocalDateTime.parse(match.group(1) + 'T' + match.group(2));
            var instant = local.toInstant(ZoneOffset.UTC)
                    .minusSeconds(offsetSeconds(match.group(4), match.group(5), match.group(6)))
                    .plus(micros(match.group(3)), ChronoUnit.MICROS);
            return inRange(instant);
        } catch (DateTimeException notOnTheCalendar) {
            return Optional.empty();
        }
    }

    private static long offsetSeconds(@Nullable String sign, String hours, String minutes) {
        if (sign == null) {
            return 0;
        }
        int hour = Integer.parseInt(hours);
        int minute = Integer.parseInt(minutes);
        if (hour > 23 || minute > 59) {
            throw new DateTimeException("The offset is out of range.");
        }
        long seconds = hour * 3600L + minute * 60L;
        return "-".equals(sign) ? -seconds : seconds;
    }

    private static long micros(@Nullable String fraction) {
        return fraction == null ? 0 : Long.parseLong((fraction + "000000").substring(0, MICRO_DIGITS));
    }
}
