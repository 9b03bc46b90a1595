package dev.okr.objectives.overview;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;

/** The time between two points of a history. */
public enum HistoryInterval {
    DAY(ChronoUnit.DAYS),
    WEEK(ChronoUnit.WEEKS),
    /** A calendar month, in UTC. */
    MONTH(ChronoUnit.MONTHS);

    private final ChronoUnit unit;

    HistoryInterval(ChronoUnit unit) {
        this.unit = unit;
    }

    /**
     * The end of an interval. The first interval has the number 1. Each end is calculated from the start, because
     * months have different lengths.
     */
    Instant end(Instant start, long interval) {
        return start.atOffset(ZoneOffset.UTC).plus(interval, unit).toInstant();
    }

    /** How many intervals begin before the end. */
    long count(Instant start, Instant end) {
        long count = unit.between(start.atOffset(ZoneOffset.UTC), end.atOffset(ZoneOffset.UTC));
        // The last interval may be shorter. From 31 January to 28 February, the calendar counts no month yet.
        while (end(start, count).isBefore(end)) {
            count++;
        }
        return count;
    }
}
