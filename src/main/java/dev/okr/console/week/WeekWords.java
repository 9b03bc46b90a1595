package dev.okr.console.week;

import dev.okr.console.overview.OverviewWords;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;

/** The words of the start page. */
final class WeekWords {
    private static final int MAX_DAYS_AGO = 60;

    private WeekWords() {}

    /** Such as {@code 9 days ago}. */
    static String ago(Instant time, Instant now) {
        long days = ChronoUnit.DAYS.between(date(time), date(now));
        if (days > MAX_DAYS_AGO) {
            return "on " + OverviewWords.day(time);
        }
        if (days <= 0) {
            return "today";
        }
        return days == 1 ? "yesterday" : days + " days ago";
    }

    /** Such as {@code 17 points behind}. */
    static String pace(BigDecimal progress, BigDecimal expected) {
        long points = points(progress, expected);
        if (points == 0) {
            return "at the expected pace";
        }
        var unit = Math.abs(points) == 1 ? "point" : "points";
        return "%d %s %s".formatted(Math.abs(points), unit, points > 0 ? "ahead" : "behind");
    }

    /** The distance to the expected progress in whole percentage points. It is negative if the objective is behind. */
    static long points(BigDecimal progress, BigDecimal expected) {
        return OverviewWords.percent(progress) - OverviewWords.percent(expected);
    }

    private static LocalDate date(Instant time) {
        return LocalDate.ofInstant(time, ZoneOffset.UTC);
    }
}
