package dev.okr.console.overview;

import java.time.Duration;
import java.time.Instant;
import java.time.Period;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/** The ticks of the time axis. They begin at the start of the cycle, in equal steps, and fit on a phone. */
final class TimeAxis {
    static final int MAX_TICKS = 6;

    private static final List<Period> STEPS = Stream.of(
                    Stream.of(Period.ofDays(1), Period.ofDays(2), Period.ofWeeks(1), Period.ofWeeks(2)),
                    Stream.of(1, 2, 3, 6).map(Period::ofMonths),
                    Stream.of(1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000).map(Period::ofYears))
            .flatMap(steps -> steps)
            .toList();

    private static final Duration YEAR = Duration.ofDays(366);
    private static final DateTimeFormatter DAY = DateTimeFormatter.ofPattern("d MMM", Locale.ENGLISH);
    private static final DateTimeFormatter MONTH = DateTimeFormatter.ofPattern("MMM uuuu", Locale.ENGLISH);

    private TimeAxis() {}

    /** A tick with its label. */
    record Tick(Instant at, String label) {}

    /** The ticks from start to end, inclusive. */
    static List<Tick> ticks(Instant startsAt, Instant endsAt) {
        var format = Duration.between(startsAt, endsAt).compareTo(YEAR) > 0 ? MONTH : DAY;
        return STEPS.stream()
                .map(step -> moments(startsAt, endsAt, step))
                .filter(moments -> moments.size() <= MAX_TICKS)
                .findFirst()
                .orElseThrow()
                .stream()
                .map(moment -> new Tick(moment.toInstant(), format.format(moment)))
                .toList();
    }

    /** Stops at one tick more than the limit. That is enough to reject this step. */
    private static List<ZonedDateTime> moments(Instant startsAt, Instant endsAt, Period step) {
        var start = startsAt.atZone(ZoneOffset.UTC);
        var end = endsAt.atZone(ZoneOffset.UTC);
        var moments = new ArrayList<ZonedDateTime>();
        // Each tick is calculated from the start. Adding months one by one to 31 January would give 28 March.
        for (var next = start; !next.isAfter(end) && moments.size() <= MAX_TICKS; ) {
            moments.add(next);
            next = start.plus(step.multipliedBy(moments.size()));
        }
        return moments;
    }
}
