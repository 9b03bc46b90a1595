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

    private static final DateTimeFormatter LOCAL = format("uuuu-MM-dd'T'HH:mm");

    private static final int LOCAL_MINUTE_LENGTH = "2027-01-31T09:30".length();
    private static final int LOCAL_SECOND_LENGTH = "2027-01-31T09:30:00".length();

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

    /** For an input of the type {@code datetime-local}, in UTC. */
    public static String local(Instant instant) {
        return LOCAL.format(instant);
    }

    /** The RFC 3339 timestamp of such an input. Browsers omit seconds that are zero. Other text does not change. */
    public static String fromLocal(String text) {
        if (text.length() == LOCAL_MINUTE_LENGTH) {
            return text + ":00Z";
        }
        return text.length() == LOCAL_SECOND_LENGTH ? text + 'Z' : text;
    }

    private static DateTimeFormatter format(String pattern) {
        return DateTimeFormatter.ofPattern(pattern, Locale.ENGLISH).withZone(ZoneOffset.UTC);
    }
}
