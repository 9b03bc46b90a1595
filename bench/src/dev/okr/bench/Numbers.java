package dev.okr.bench;

import java.util.Arrays;

/** Medians and percentiles. */
final class Numbers {
    private Numbers() {}

    /** The value that this fraction of all values does not exceed. */
    static double percentile(double[] values, double fraction) {
        if (values.length == 0) {
            return Double.NaN;
        }
        var sorted = values.clone();
        Arrays.sort(sorted);
        int rank = (int) Math.ceil(fraction * sorted.length);
        return sorted[Math.max(0, rank - 1)];
    }

    static double median(double... values) {
        return percentile(values, 0.5);
    }

    static double sum(double... values) {
        return Arrays.stream(values).sum();
    }
}
