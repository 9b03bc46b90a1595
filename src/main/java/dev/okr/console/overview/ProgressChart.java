package dev.okr.console.overview;

import dev.okr.objectives.overview.ProgressPoint;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The coordinates in the chart of a cycle's progress, in units of the SVG drawing. The origin is the upper left corner.
 *
 * @param across the ticks of the time axis
 * @param up the ticks of the progress axis
 * @param curve the SVG path of the progress; empty for fewer than two points
 * @param area the SVG path of the area below the curve
 * @param present the current progress at the end of the curve; null before the cycle starts
 */
public record ProgressChart(
        List<Mark> across,
        List<Mark> up,
        String curve,
        String area,
        @Nullable Present present) {
    private static final Frame FRAME = new Frame(560, 290, 58, 516, 18, 252);

    private static final List<Integer> PERCENTS_MARKED = List.of(0, 25, 50, 75, 100);

    /** The distance between a point and its label. */
    private static final double LABEL_DISTANCE = 12;

    /** The maximum size of a label, in the largest font of the stylesheet. */
    private static final double LABEL_HEIGHT = 18;

    private static final double LABEL_WIDTH = 52;

    /** The size of the drawing, and the edges of the area between the axes. */
    public record Frame(int width, int height, int left, int right, int top, int bottom) {}

    public Frame frame() {
        return FRAME;
    }

    /** A tick of an axis with its label. */
    public record Mark(String at, String label) {}

    /**
     * The end of the curve.
     *
     * @param before whether the label is to the left of the point
     */
    public record Present(String x, String y, String label, String labelX, String labelY, boolean before) {}

    /** Makes the chart from points in chronological order within the cycle. */
    public static ProgressChart of(Instant startsAt, Instant endsAt, List<ProgressPoint> points) {
        var time = new Time(startsAt, endsAt);
        var across = TimeAxis.ticks(startsAt, endsAt).stream()
                .map(tick -> new Mark(number(time.x(tick.at())), tick.label()))
                .toList();
        var up = PERCENTS_MARKED.stream()
                .map(percent -> new Mark(number(y(BigDecimal.valueOf(percent, 2))), percent + "%"))
                .toList();
        var curve = points.size() < 2 ? "" : path(time, points);
        return new ProgressChart(across, up, curve, area(time, points, curve), present(time, points));
    }

    /** The time axis, from left to right. */
    private record Time(Instant startsAt, Instant endsAt) {
        double x(Instant moment) {
            var passed = (double) Duration.between(startsAt, moment).toMillis();
            var share = passed / Duration.between(startsAt, endsAt).toMillis();
            return FRAME.left() + Math.clamp(share, 0, 1) * (FRAME.right() - FRAME.left());
        }
    }

    private static double y(BigDecimal progress) {
        return FRAME.bottom() - progress.doubleValue() * (FRAME.bottom() - FRAME.top());
    }

    private static String path(Time time, List<ProgressPoint> points) {
        return points.stream()
                .map(point -> number(time.x(point.at())) + ' ' + number(y(point.progress())))
                .collect(Collectors.joining("L", "M", ""));
    }

    private static String area(Time time, List<ProgressPoint> points, String curve) {
        if (curve.isEmpty()) {
            return "";
        }
        var corners = Stream.of(points.getLast(), points.getFirst())
                .map(corner -> number(time.x(corner.at())) + ' ' + FRAME.bottom())
                .collect(Collectors.joining("L"));
        return curve + 'L' + corners + 'Z';
    }

    /** Places the label away from both lines. It is below the point if the progress is below the steady line. */
    private static @Nullable Present present(Time time, List<ProgressPoint> points) {
        if (points.isEmpty()) {
            return null;
        }
        var last = points.getLast();
        double x = time.x(last.at());
        double y = y(last.progress());
        double steady =
                FRAME.bottom() - (x - FRAME.left()) / (FRAME.right() - FRAME.left()) * (FRAME.bottom() - FRAME.top());
        boolean below =
                y > steady && y + LABEL_DISTANCE + LABEL_HEIGHT < FRAME.bottom() || y - LABEL_DISTANCE < FRAME.top();
        boolean before = below ? x + LABEL_DISTANCE + LABEL_WIDTH > FRAME.right() : x - LABEL_WIDTH > FRAME.left();
        double labelX = before ? x - LABEL_DISTANCE : x + LABEL_DISTANCE;
        double labelY = below ? y + LABEL_DISTANCE + LABEL_HEIGHT / 2 : y - LABEL_DISTANCE;
        return new Present(
                number(x),
                number(y),
                OverviewWords.percentage(last.progress()),
                number(labelX),
                number(labelY),
                before);
    }

    /** Rounds to a tenth of a unit, which is finer than a pixel. */
    private static String number(double value) {
        return BigDecimal.valueOf(Math.round(value * 10), 1)
                .stripTrailingZeros()
                .toPlainString();
    }
}
