package dev.okr.objectives.overview;

import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;

/**
 * The progress of a cycle or an objective over time. Empty before the cycle starts.
 *
 * @param everyNth the history uses every nth objective; 1 for all objectives
 * @param complete whether the history was read; if not, only the present progress is known
 */
public record ProgressCurve(List<ProgressPoint> points, long everyNth, boolean complete) {
    /**
     * The largest number of objectives to read. For a larger cycle, every nth objective is read. The mean of the sample
     * is accurate to about one point.
     */
    static final int MAX_OBJECTIVES = 2_000;

    static final int MAX_DAYS_SHOWN = 60;

    /** The curve of the past progress at these times, which ends with the present progress. */
    static ProgressCurve of(List<Instant> moments, List<BigDecimal> past, ProgressPoint present, long everyNth) {
        var points = new ArrayList<ProgressPoint>();
        for (int i = 0; i < moments.size(); i++) {
            points.add(new ProgressPoint(moments.get(i), past.get(i)));
        }
        points.add(present);
        return new ProgressCurve(List.copyOf(points), everyNth, true);
    }

    public boolean isSampled() {
        return complete && everyNth > 1;
    }

    /** The sampling interval for a cycle with this number of objectives. Every nth objective is read. */
    static long everyNth(long objectives) {
        return Math.max(1, Math.ceilDiv(objectives, MAX_OBJECTIVES));
    }

    /**
     * The times before {@code end} at which the progress is shown: the start of the cycle and the end of each of its
     * days. A long cycle shows every second or every third day, and so on. Days start at the time of day at which the
     * cycle starts.
     */
    static List<Instant> moments(CycleChoice cycle, Instant end) {
        long days = cycle.length().toDays();
        var step = Duration.ofDays(Math.max(1, Math.ceilDiv(days, MAX_DAYS_SHOWN)));
        return LongStream.rangeClosed(0, MAX_DAYS_SHOWN)
                .mapToObj(i -> cycle.startsAt().plus(step.multipliedBy(i)))
                .takeWhile(moment -> moment.isBefore(end))
                .toList();
    }
}
