package dev.okr.objectives.overview;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;

/** The time between two points of a history. */
public enum HistoryInterval {
    DAY(ChronoUnit.DAYS),
    WEEK(ChronoUnit.WEEKS),
    /** A month of the calendar, in UTC. */
    MONTH(ChronoUnit.MONTHS);

    private final ChronoUnit unit;

    HistoryInterval(ChronoUnit unit) {
        this.unit = unit;
    }

    /** The end of an interval, counted from 1. Each is counted from the start, because months have different lengths. */
    Instant end(Instant start, long interval) {
        return start.atOffset(ZoneOffset.UTC).plus(interval, unit).toInstant();
    }

    /** How many intervals begin before the end. */
    long count(Instant start, Instant end) {
        long count = unit.between(start.atOffset(ZoneOffset.UTC), end.atOffset(ZoneOffset.UTC));
        // The last days of long and short months are the same interval for the calendar.
        while (end(start, count).isBefore(end)) {
            count++;
        }
        return count;
    }
}
