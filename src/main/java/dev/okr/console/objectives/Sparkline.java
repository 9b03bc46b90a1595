package dev.okr.console.objectives;

import dev.okr.objectives.overview.KeyResultView;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A small curve of the last values of a key result. The start value is at the bottom and the target at the top, even if
 * the target is lower than the start.
 *
 * @param path the SVG path
 * @param x the position of the last value
 */
public record Sparkline(String path, String x, String y) {
    static final int WIDTH = 120;
    static final int HEIGHT = 32;
    private static final int MARGIN = 4;

    /** Null for fewer than two values. */
    static @Nullable Sparkline of(KeyResultView keyResult) {
        return of(keyResult.past(), keyResult.startValue(), keyResult.targetValue());
    }

    static @Nullable Sparkline of(List<KeyResultView.PastValue> past, BigDecimal start, BigDecimal target) {
        if (past.size() < 2) {
            return null;
        }
        var first = past.getFirst().at();
        var length = Duration.between(first, past.getLast().at());
        var distance = target.subtract(start);
        var shares =
                past.stream().map(each -> share(each.value(), start, distance)).toList();
        // Values beyond the start or the target make the scale larger.
        double low = Math.min(0, shares.stream().min(Double::compare).orElseThrow());
        double high = Math.max(1, shares.stream().max(Double::compare).orElseThrow());
        var points = Stream.iterate(0, i -> i < past.size(), i -> i + 1)
                .map(i -> x(first, length, past.get(i).at()) + ' ' + y(shares.get(i), low, high))
                .toList();
        var end = points.getLast().split(" ");
        return new Sparkline(points.stream().collect(Collectors.joining("L", "M", "")), end[0], end[1]);
    }

    private static double share(BigDecimal value, BigDecimal start, BigDecimal distance) {
        return value.subtract(start).divide(distance, 4, RoundingMode.HALF_UP).doubleValue();
    }

    private static String x(Instant first, Duration length, Instant at) {
        double share = length.isZero()
                ? 1
                : (double) Duration.between(first, at).toSeconds() / Math.max(1, length.toSeconds());
        return number(MARGIN + share * (WIDTH - 2 * MARGIN));
    }

    private static String y(double share, double low, double high) {
        return number(HEIGHT - MARGIN - (share - low) / (high - low) * (HEIGHT - 2 * MARGIN));
    }

    private static String number(double value) {
        return BigDecimal.valueOf(Math.round(value * 10), 1)
                .stripTrailingZeros()
                .toPlainString();
    }
}
