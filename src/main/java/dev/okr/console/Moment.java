package dev.okr.console;

import dev.okr.platform.time.Timestamps;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A time as pages show it.
 *
 * @param iso for the {@code datetime} attribute
 * @param text for people, to the minute
 */
public record Moment(String iso, String text) {
    private static final DateTimeFormatter FORMAT = DateTimeFormatter.ofPattern(
                    "d MMM uuuu, HH:mm 'UTC'", Locale.ENGLISH)
            .withZone(ZoneOffset.UTC);

    private static final DateTimeFormatter TO_THE_SECOND = DateTimeFormatter.ofPattern(
                    "d MMM uuuu, HH:mm:ss 'UTC'", Locale.ENGLISH)
            .withZone(ZoneOffset.UTC);

    /** A time to the second, for events in quick succession. */
    public static Moment toTheSecond(Instant instant) {
        return new Moment(Timestamps.format(instant), TO_THE_SECOND.format(instant));
    }

    public static Moment of(Instant instant) {
        return new Moment(Timestamps.format(instant), FORMAT.format(instant));
    }

    public static @Nullable Moment ofNullable(@Nullable Instant instant) {
        return instant == null ? null : of(instant);
    }
}
