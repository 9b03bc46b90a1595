package dev.okr.console.overview;

import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/** Formats days. */
final class Days {
    private static final DateTimeFormatter DAY = DateTimeFormatter.ofPattern("d MMM uuuu", Locale.ENGLISH);
    private static final DateTimeFormatter DAY_OF_YEAR = DateTimeFormatter.ofPattern("d MMM", Locale.ENGLISH);

    private Days() {}

    /** Such as {@code 1 Oct 2026}. */
    static String of(Instant time) {
        return DAY.format(date(time));
    }

    /** The day that ends at this time, or that contains it. */
    static String endingAt(Instant time) {
        return of(time.minusNanos(1));
    }

    /** A range without its end, such as {@code 1 Oct – 31 Dec 2026}. */
    static String between(Instant start, Instant end) {
        var first = date(start);
        var last = date(end.minusNanos(1));
        var from = first.getYear() == last.getYear() ? DAY_OF_YEAR.format(first) : DAY.format(first);
        return first.equals(last) ? DAY.format(first) : from + " – " + DAY.format(last);
    }

    private static LocalDate date(Instant time) {
        return LocalDate.ofInstant(time, ZoneOffset.UTC);
    }
}
