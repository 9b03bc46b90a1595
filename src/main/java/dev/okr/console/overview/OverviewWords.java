package dev.okr.console.overview;

import dev.okr.objectives.cycles.CycleStatus;
import dev.okr.objectives.overview.CycleOverview;
import org.jspecify.annotations.Nullable;

/** The sentences on the overview page of a cycle. */
final class OverviewWords {
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
        var progress = Percent.text(overview.standing().progress());
        if (overview.standing().objectives() == 0) {
            return "This cycle has no objectives yet.";
        }
        if (overview.at().isBefore(cycle.startsAt())) {
            return "It starts on %s.".formatted(Days.of(cycle.startsAt()));
        }
        if (cycle.status() == CycleStatus.COMPLETED || !overview.at().isBefore(cycle.endsAt())) {
            return "It ended on %s with a progress of %s.".formatted(Days.endingAt(cycle.endsAt()), progress);
        }
        double elapsed = cycle.elapsed(overview.at());
        return "Progress is %s after %s of the time, %s."
                .formatted(progress, Percent.text(elapsed), pace(overview, elapsed));
    }

    static @Nullable String historyRemark(CycleOverview overview) {
        var curve = overview.curve();
        if (curve.points().isEmpty()) {
            return null;
        }
        if (!curve.complete()) {
            return "The history of this cycle could not be read in time. The point shows the current progress.";
        }
        return curve.isSampled()
                ? "This cycle is large. The past part of the curve is based on one of every %d objectives."
                        .formatted(curve.everyNth())
                : null;
    }

    private static String pace(CycleOverview overview, double elapsed) {
        int points = Percent.of(overview.standing().progress()) - Percent.of(elapsed);
        if (points == 0) {
            return "exactly at a steady pace";
        }
        var unit = Math.abs(points) == 1 ? "point" : "points";
        return "%d %s %s a steady pace".formatted(Math.abs(points), unit, points > 0 ? "ahead of" : "behind");
    }
}
