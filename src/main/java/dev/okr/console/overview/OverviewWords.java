package dev.okr.console.overview;

import dev.okr.objectives.cycles.CycleStatus;
import dev.okr.objectives.overview.CycleChoice;
import dev.okr.objectives.overview.CycleOverview;
import dev.okr.objectives.overview.ProgressPoint;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The sentences, percentages and days on the overview page of a cycle. Other pages use some of them. */
public final class OverviewWords {
    private static final DateTimeFormatter DAY = DateTimeFormatter.ofPattern("d MMM uuuu", Locale.ENGLISH);
    private static final DateTimeFormatter DAY_OF_YEAR = DateTimeFormatter.ofPattern("d MMM", Locale.ENGLISH);

    private OverviewWords() {}

    static @Nullable String remark(CycleOverview overview) {
        if (overview.asked()) {
            return null;
        }
        return switch (overview.cycle().status()) {
            case ACTIVE -> null;
            case PLANNED -> "No cycle is active. This is the next cycle.";
            case COMPLETED -> "No cycle is active or planned. This is the last cycle that ended.";
        };
    }

    static String summary(CycleOverview overview) {
        var cycle = overview.cycle();
        var progress = percentage(overview.standing().progress());
        if (overview.standing().objectives() == 0) {
            return "This cycle has no objectives yet.";
        }
        if (cycle.finalProgress() != null) {
            return "Final result: %s. The cycle is closed, so nothing changes any more."
                    .formatted(percentage(cycle.finalProgress()));
        }
        if (overview.at().isBefore(cycle.startsAt())) {
            return "It starts on %s.".formatted(day(cycle.startsAt()));
        }
        if (cycle.status() == CycleStatus.COMPLETED || !overview.at().isBefore(cycle.endsAt())) {
            return "It ended on %s with a progress of %s.".formatted(dayEndingAt(cycle.endsAt()), progress);
        }
        double elapsed = cycle.elapsed(overview.at());
        return "Progress is %s after %s of the time, %s."
                .formatted(
                        progress,
                        percentage(elapsed),
                        pace(overview.standing().progress(), BigDecimal.valueOf(elapsed)));
    }

    static @Nullable String stale(CycleOverview overview) {
        long stale = overview.staleKeyResults();
        if (stale == 0 || overview.cycle().status() != CycleStatus.ACTIVE) {
            return null;
        }
        return stale == 1
                ? "1 key result has had no check-in for 14 days."
                : "%d key results have had no check-in for 14 days.".formatted(stale);
    }

    static @Nullable String historyRemark(CycleOverview overview) {
        var curve = overview.curve();
        if (curve.points().isEmpty()) {
            return null;
        }
        if (!curve.complete()) {
            return "The history of this cycle is too large or could not be read in time. The point shows the current progress.";
        }
        return curve.isSampled()
                ? "This cycle is large. The chart uses one of every %d objectives. It can be a minute late."
                        .formatted(curve.everyNth())
                : null;
    }

    /** Rounds to whole percent. Only 1 is shown as 100%, and only 0 as 0%. */
    public static int percent(BigDecimal fraction) {
        int rounded =
                fraction.movePointRight(2).setScale(0, RoundingMode.HALF_UP).intValueExact();
        if (rounded == 100 && fraction.compareTo(BigDecimal.ONE) < 0) {
            return 99;
        }
        return rounded == 0 && fraction.signum() > 0 ? 1 : rounded;
    }

    static int percent(double fraction) {
        return percent(BigDecimal.valueOf(fraction));
    }

    public static String percentage(BigDecimal fraction) {
        return percent(fraction) + "%";
    }

    static String percentage(double fraction) {
        return percent(fraction) + "%";
    }

    /** Such as {@code 1 Oct 2026}. */
    public static String day(Instant time) {
        return DAY.format(date(time));
    }

    /** The day that ends at this time, or that contains it. */
    public static String dayEndingAt(Instant time) {
        return day(time.minusNanos(1));
    }

    /** The days of a period whose end is exclusive, such as {@code 1 Oct – 31 Dec 2026}. */
    public static String days(Instant start, Instant end) {
        var first = date(start);
        var last = date(end.minusNanos(1));
        var from = first.getYear() == last.getYear() ? DAY_OF_YEAR.format(first) : DAY.format(first);
        return first.equals(last) ? DAY.format(first) : from + " – " + DAY.format(last);
    }

    /** How far a progress is from the expected one, such as {@code 5 points behind a steady pace}. */
    public static String pace(BigDecimal progress, BigDecimal expected) {
        int points = percent(progress) - percent(expected);
        if (points == 0) {
            return "exactly at a steady pace";
        }
        var unit = Math.abs(points) == 1 ? "point" : "points";
        return "%d %s %s a steady pace".formatted(Math.abs(points), unit, points > 0 ? "ahead of" : "behind");
    }

    public static String chartTitle(String name) {
        return "Progress of %s over time".formatted(name);
    }

    /** A row of the table that repeats a chart in numbers. */
    public record HistoryRow(String day, String progress, String steady) {}

    public static List<HistoryRow> history(CycleChoice cycle, Instant now, List<ProgressPoint> points) {
        return points.stream().map(point -> row(cycle, now, point)).toList();
    }

    private static HistoryRow row(CycleChoice cycle, Instant now, ProgressPoint point) {
        var at = point.at();
        var day = at.equals(now) ? day(at) + ", now" : "End of " + dayEndingAt(at);
        return new HistoryRow(
                at.equals(cycle.startsAt()) ? "Start, " + day(at) : day,
                percentage(point.progress()),
                percentage(cycle.elapsed(at)));
    }

    private static LocalDate date(Instant time) {
        return LocalDate.ofInstant(time, ZoneOffset.UTC);
    }
}
