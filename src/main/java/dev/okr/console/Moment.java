package dev.okr.console;

import dev.okr.platform.time.Timestamps;
import io.quarkus.qute.TemplateExtension;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/** Times as pages show them. */
@TemplateExtension
public final class Moment {
    private static final DateTimeFormatter TO_THE_MINUTE = format("d MMM uuuu, HH:mm 'UTC'");
    private static final DateTimeFormatter TO_THE_SECOND = format("d MMM uuuu, HH:mm:ss 'UTC'");

    private Moment() {}

    /** For the attribute {@code datetime}. */
    public static String iso(Instant instant) {
        return Timestamps.format(instant);
    }

    public static String toTheMinute(Instant instant) {
        return TO_THE_MINUTE.format(instant);
    }

    /** For events in quick succession. */
    public static String toTheSecond(Instant instant) {
        return TO_THE_SECOND.format(instant);
    }

    private static DateTimeFormatter format(String pattern) {
        return DateTimeFormatter.ofPattern(pattern, Locale.ENGLISH).withZone(ZoneOffset.UTC);
    }
}
