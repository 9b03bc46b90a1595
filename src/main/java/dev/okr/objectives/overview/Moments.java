package dev.okr.objectives.overview;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.LongStream;

/**
 * The times at which a cycle's progress is shown: its start and the end of each of its days. A long cycle shows every
 * second or every third day, and so on. Days start at the time of day at which the cycle starts.
 */
final class Moments {
    static final int MAX_DAYS_SHOWN = 60;

    private Moments() {}

    /** The times before {@code end}. */
    static List<Instant> of(CycleChoice cycle, Instant end) {
        long days = cycle.length().toDays();
        var step = Duration.ofDays(Math.max(1, Math.ceilDiv(days, MAX_DAYS_SHOWN)));
        return LongStream.rangeClosed(0, MAX_DAYS_SHOWN)
                .mapToObj(i -> cycle.startsAt().plus(step.multipliedBy(i)))
                .takeWhile(moment -> moment.isBefore(end))
                .toList();
    }
}
