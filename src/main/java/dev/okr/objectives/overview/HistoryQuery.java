package dev.okr.objectives.overview;

import dev.okr.platform.errors.Failure;
import dev.okr.platform.http.QueryParameters;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/** The query parameters of a history. */
record HistoryQuery(
        @Nullable Instant from,
        @Nullable Instant to,
        @Nullable HistoryInterval interval) {
    static final int MAX_POINTS = 400;

    static HistoryQuery read(QueryParameters parameters) {
        return new HistoryQuery(
                parameters.time("from"), parameters.time("to"), parameters.constant("interval", HistoryInterval.class));
    }

    /**
     * The times of a history.
     *
     * @param at the ends of the intervals, in ascending order
     * @param endsAtPresent whether the last point shows the present progress
     */
    record Moments(HistoryInterval interval, List<Instant> at, boolean endsAtPresent) {}

    /** No times, for a history that has not begun. */
    Moments none() {
        return new Moments(interval == null ? HistoryInterval.DAY : interval, List.of(), false);
    }

    /**
     * The times of the points. {@code from} and {@code to} default to the start and the end of the cycle. No point is
     * after now. A point at the end of the cycle shows the present progress, so it includes check-ins after the end.
     * {@code interval} defaults to the shortest interval that gives at most {@link #MAX_POINTS}.
     *
     * @throws Failure if {@code from} is not before {@code to}, or if there are too many points
     */
    Moments moments(Instant startsAt, Instant endsAt, Instant now) {
        var start = from == null ? startsAt : from;
        var requested = to == null ? endsAt : to;
        if (!start.isBefore(requested)) {
            throw Failure.malformed(
                    from == null
                            ? "The query parameter to must be later than the start of the cycle."
                            : "The query parameter from must be earlier than %s."
                                    .formatted(to == null ? "the end of the cycle" : "to"));
        }
        var end = requested.isBefore(now) ? requested : now;
        if (!start.isBefore(end)) {
            return none();
        }
        var each = interval == null ? shortest(start, end) : interval;
        long count = each.count(start, end);
        if (count > MAX_POINTS) {
            throw Failure.malformed(("A history has at most %d points, but this one would have %d."
                            + " Use a longer interval or a shorter period.")
                    .formatted(MAX_POINTS, count));
        }
        var at = LongStream.rangeClosed(1, count)
                .mapToObj(i -> i == count ? end : each.end(start, i))
                .toList();
        return new Moments(each, at, end.equals(now) || end.equals(endsAt));
    }

    private static HistoryInterval shortest(Instant start, Instant end) {
        return Arrays.stream(HistoryInterval.values())
                .filter(each -> each.count(start, end) <= MAX_POINTS)
                .findFirst()
                .orElse(HistoryInterval.MONTH);
    }
}
