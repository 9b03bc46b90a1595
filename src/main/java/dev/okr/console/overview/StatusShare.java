package dev.okr.console.overview;

import dev.okr.objectives.ObjectiveStatus;
import dev.okr.objectives.overview.Standing;
import dev.okr.platform.http.EnumNames;
import java.util.ArrayList;
import java.util.List;

/**
 * The part of some objectives that has a status, and its place in a bar that is 100 wide.
 *
 * @param status as the API writes it
 * @param label as people read it
 */
public record StatusShare(String status, String label, long count, double x, double width) {
    private static final double BAR_WIDTH = 100;

    /** The order of the bar: from what is done to what has not begun. */
    private static final List<ObjectiveStatus> ORDER = List.of(
            ObjectiveStatus.COMPLETED,
            ObjectiveStatus.ON_TRACK,
            ObjectiveStatus.AT_RISK,
            ObjectiveStatus.BEHIND,
            ObjectiveStatus.NOT_STARTED);

    /** One of each status that any of the objectives has. */
    static List<StatusShare> of(Standing standing) {
        var shares = new ArrayList<StatusShare>();
        long before = 0;
        for (var status : ORDER) {
            long count = standing.count(status);
            if (count > 0) {
                double x = place(before, standing);
                before += count;
                // From place to place, so that rounding leaves no gaps.
                double width = hundredths(place(before, standing) - x);
                shares.add(new StatusShare(EnumNames.format(status), label(status), count, x, width));
            }
        }
        return shares;
    }

    static String label(ObjectiveStatus status) {
        return switch (status) {
            case NOT_STARTED -> "Not started";
            case ON_TRACK -> "On track";
            case AT_RISK -> "At risk";
            case BEHIND -> "Behind";
            case COMPLETED -> "Completed";
        };
    }

    private static double place(long before, Standing standing) {
        return hundredths(BAR_WIDTH * before / standing.objectives());
    }

    private static double hundredths(double value) {
        return Math.round(value * 100) / 100.0;
    }
}
