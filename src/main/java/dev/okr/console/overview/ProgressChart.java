package dev.okr.console.overview;

import dev.okr.objectives.overview.ProgressPoint;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The coordinates in a chart of values over time, in units of the SVG drawing. The origin is the upper left corner.
 *
 * @param across the ticks of the time axis
 * @param up the ticks of the axis of values
 * @param curve the SVG path of the values; empty for fewer than two points
 * @param area the SVG path of the area below the curve
 * @param guide the SVG path of the line to compare with, which is a steady pace or a target
 * @param present the last value at the end of the curve; null without values
 * @param span the first and the last value with their days, in words; null without values
 */
public record ProgressChart(
        Frame frame,
        List<Mark> across,
        List<Mark> up,
        String curve,
        String area,
        String guide,
        @Nullable Present present,
        @Nullable String span) {
    private static final int WIDTH = 560;
    private static final int HEIGHT = 290;
    private static final Frame OF_PROGRESS = new Frame(WIDTH, HEIGHT, 58, 516, 18, 252);

    /** Labels of values are longer than those of percentages. */
    private static final Frame OF_VALUES = new Frame(WIDTH, HEIGHT, 100, 516, 18, 252);

    private static final List<Integer> PERCENTS_MARKED = List.of(0, 50, 100);

    /** The distance between a point and its label. */
    private static final double LABEL_DISTANCE = 12;

    /** The maximum size of a label, in the largest font of the stylesheet. */
    private static final double LABEL_HEIGHT = 18;

    private static final double LABEL_WIDTH = 52;

    /** A value at a time. Its share is a fraction of the height. */
    private record Point(Instant at, double share, String label) {}

    /** The size of the drawing, and the edges of the area between the axes. */
    public record Frame(int width, int height, int left, int right, int top, int bottom) {
        private double y(double share) {
            return bottom - share * (bottom - top);
        }
    }

    /** A tick of an axis with its label. */
    public record Mark(String at, String label) {}

    /**
     * The end of the curve.
     *
     * @param before whether the label is to the left of the point
     */
    public record Present(String x, String y, String label, String labelX, String labelY, boolean before) {}

    /** A value of a key result at a time. */
    public record Value(Instant at, BigDecimal value) {}

    /** Makes the chart from points in chronological order within the cycle. */
    public static ProgressChart of(Instant startsAt, Instant endsAt, List<ProgressPoint> points) {
        var time = new Time(OF_PROGRESS, startsAt, endsAt);
        var across = TimeAxis.ticks(startsAt, endsAt).stream()
                .map(tick -> new Mark(number(time.x(tick.at())), tick.label()))
                .toList();
        var up = PERCENTS_MARKED.stream()
                .map(percent -> new Mark(number(OF_PROGRESS.y(percent / 100.0)), percent + "%"))
                .toList();
        var values = points.stream()
                .map(point -> new Point(
                        point.at(), point.progress().doubleValue(), OverviewWords.percentage(point.progress())))
                .toList();
        boolean low = !values.isEmpty() && values.getLast().share < time.share(values.getLast().at);
        return of(time, across, up, 0, 1, low, "From", values);
    }

    /**
     * Makes the chart of the check-ins of a key result, at least two in chronological order. Its current value can
     * differ from the last one, because the API can set it without a check-in.
     *
     * @param text formats a value
     */
    public static ProgressChart ofValues(
            List<Value> values, BigDecimal start, BigDecimal target, Function<BigDecimal, String> text) {
        var all = Stream.concat(values.stream().map(Value::value), Stream.of(start, target))
                .sorted()
                .toList();
        var low = all.getFirst();
        var range = all.getLast().subtract(low).doubleValue();
        ToDoubleFunction<BigDecimal> share = value -> value.subtract(low).doubleValue() / range;
        var first = values.getFirst().at();
        var last = values.getLast().at();
        var time = new Time(OF_VALUES, first, last);
        var across = Stream.of(first, last)
                .map(at -> new Mark(number(time.x(at)), OverviewWords.day(at)))
                .toList();
        var up = Stream.of(low, all.getLast())
                .map(value -> new Mark(number(OF_VALUES.y(share.applyAsDouble(value))), text.apply(value)))
                .toList();
        var points = values.stream()
                .map(each -> new Point(each.at(), share.applyAsDouble(each.value()), text.apply(each.value())))
                .toList();
        double goal = share.applyAsDouble(target);
        boolean falling = points.getLast().share < points.get(points.size() - 2).share;
        return of(time, across, up, goal, goal, falling, "Check-ins: from", points);
    }

    /**
     * @param from the left end of the line to compare with, as a fraction of the height
     * @param to its right end
     * @param low whether the label of the last point is below the point, away from the lines
     * @param spanStart the words before the first value of the span
     */
    private static ProgressChart of(
            Time time,
            List<Mark> across,
            List<Mark> up,
            double from,
            double to,
            boolean low,
            String spanStart,
            List<Point> points) {
        var frame = time.frame;
        var curve = points.size() < 2 ? "" : path(time, points);
        var guide = "M%d %sL%d %s".formatted(frame.left, number(frame.y(from)), frame.right, number(frame.y(to)));
        return new ProgressChart(
                frame,
                across,
                up,
                curve,
                area(time, points, curve),
                guide,
                present(time, low, points),
                span(spanStart, points));
    }

    /** The time axis, from left to right. */
    private record Time(Frame frame, Instant startsAt, Instant endsAt) {
        double x(Instant moment) {
            return frame.left + share(moment) * (frame.right - frame.left);
        }

        double share(Instant moment) {
            var length = Math.max(1, Duration.between(startsAt, endsAt).toMillis());
            return Math.clamp((double) Duration.between(startsAt, moment).toMillis() / length, 0, 1);
        }
    }

    private static String path(Time time, List<Point> points) {
        return points.stream()
                .map(point -> number(time.x(point.at)) + ' ' + number(time.frame.y(point.share)))
                .collect(Collectors.joining("L", "M", ""));
    }

    private static String area(Time time, List<Point> points, String curve) {
        if (curve.isEmpty()) {
            return "";
        }
        var corners = Stream.of(points.getLast(), points.getFirst())
                .map(corner -> number(time.x(corner.at)) + ' ' + time.frame.bottom)
                .collect(Collectors.joining("L"));
        return curve + 'L' + corners + 'Z';
    }

    /** Puts the label on the other side of the point if there is no room. */
    private static @Nullable Present present(Time time, boolean low, List<Point> points) {
        if (points.isEmpty()) {
            return null;
        }
        var frame = time.frame;
        var last = points.getLast();
        double x = time.x(last.at);
        double y = frame.y(last.share);
        boolean below = low && y + LABEL_DISTANCE + LABEL_HEIGHT < frame.bottom || y - LABEL_DISTANCE < frame.top;
        boolean before = below ? x + LABEL_DISTANCE + LABEL_WIDTH > frame.right : x - LABEL_WIDTH > frame.left;
        double labelX = before ? x - LABEL_DISTANCE : x + LABEL_DISTANCE;
        double labelY = below ? y + LABEL_DISTANCE + LABEL_HEIGHT / 2 : y - LABEL_DISTANCE;
        return new Present(number(x), number(y), last.label, number(labelX), number(labelY), before);
    }

    private static @Nullable String span(String start, List<Point> points) {
        if (points.isEmpty()) {
            return null;
        }
        var last = points.getLast().label + " on " + OverviewWords.day(points.getLast().at);
        return points.size() == 1
                ? last + "."
                : "%s %s on %s to %s."
                        .formatted(start, points.getFirst().label, OverviewWords.day(points.getFirst().at), last);
    }

    /** Rounds to a tenth of a unit, which is finer than a pixel. */
    private static String number(double value) {
        return BigDecimal.valueOf(Math.round(value * 10), 1)
                .stripTrailingZeros()
                .toPlainString();
    }
}
