package dev.okr.console.overview;

import dev.okr.console.Option;
import dev.okr.objectives.ObjectiveStatus;
import dev.okr.objectives.overview.Standing;
import dev.okr.platform.http.EnumNames;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The objectives of one status, and their segment in a bar with a width of 100.
 *
 * @param status as the API writes it
 * @param label as pages show it
 */
public record StatusShare(String status, String label, long count, double x, double width) {
    private static final double BAR_WIDTH = 100;

    /** The order in the bar. */
    private static final List<ObjectiveStatus> ORDER = List.of(
            ObjectiveStatus.COMPLETED,
            ObjectiveStatus.ON_TRACK,
            ObjectiveStatus.AT_RISK,
            ObjectiveStatus.BEHIND,
            ObjectiveStatus.NOT_STARTED);

    /** One segment for each status that occurs. */
    static List<StatusShare> of(Standing standing) {
        var shares = new ArrayList<StatusShare>();
        long before = 0;
        for (var status : ORDER) {
            long count = standing.count(status);
            if (count > 0) {
                double x = position(before, standing);
                before += count;
                // The difference of rounded positions leaves no gaps.
                double width = hundredths(position(before, standing) - x);
                shares.add(new StatusShare(EnumNames.format(status), label(status), count, x, width));
            }
        }
        return shares;
    }

    /** All statuses, for forms and filters. */
    public static List<Option> options() {
        return Arrays.stream(ObjectiveStatus.values())
                .map(status -> new Option(EnumNames.format(status), label(status), ""))
                .toList();
    }

    public static String label(ObjectiveStatus status) {
        return switch (status) {
            case NOT_STARTED -> "Not started";
            case ON_TRACK -> "On track";
            case AT_RISK -> "At risk";
            case BEHIND -> "Behind";
            case COMPLETED -> "Completed";
        };
    }

    private static double position(long before, Standing standing) {
        return hundredths(BAR_WIDTH * before / standing.objectives());
    }

    private static double hundredths(double value) {
        return Math.round(value * 100) / 100.0;
    }
}
