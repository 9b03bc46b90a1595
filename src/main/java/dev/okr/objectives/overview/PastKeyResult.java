package dev.okr.objectives.overview;

import dev.okr.objectives.progress.Progress;
import java.math.BigDecimal;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Calculates the past progress of a key result. All numbers are exact integers. Metric values are in millionths,
 * weights in thousandths and progress in ten-thousandths. So hundreds of thousands of check-ins need no objects.
 *
 * @param updated the first point after its last change
 */
record PastKeyResult(long start, long current, long target, long weight, int updated) {
    /** The progress 1. */
    static final int WHOLE = 10_000;

    static final int PROGRESS_DECIMALS = 4;
    private static final int VALUE_DECIMALS = 6;
    private static final int WEIGHT_DECIMALS = 3;

    /** Up to this distance, the calculation does not overflow. */
    private static final long MAX_DISTANCE = Long.MAX_VALUE / (4L * WHOLE);

    static PastKeyResult read(ResultSet row) throws SQLException {
        return new PastKeyResult(
                millionths(row.getBigDecimal("start_value")),
                millionths(row.getBigDecimal("current_value")),
                millionths(row.getBigDecimal("target_value")),
                thousandths(row.getBigDecimal("weight")),
                row.getInt("updated"));
    }

    /**
     * Values of a key result, latest first.
     *
     * @param moments the first point at which each value counts
     */
    record Values(long[] moments, long[] values) {
        private Values after(int first) {
            return new Values(
                    Arrays.copyOfRange(moments, first, moments.length),
                    Arrays.copyOfRange(values, first, values.length));
        }
    }

    /**
     * The values of check-ins, and values that were set without one. A set value counts until the next check-in. If the
     * last set value is not the current value, a check-in with an earlier recorded time has replaced it.
     *
     * @param moments an array of PostgreSQL, like the other parameters; null if there are no values
     * @param areSet whether each value was set; null if all come from check-ins
     */
    Values values(@Nullable String moments, @Nullable String values, @Nullable String areSet) {
        if (moments == null || values == null) {
            return new Values(new long[0], new long[0]);
        }
        var all = new Values(digits(moments), digits(values));
        return areSet == null || all.values[0] == current ? all : all.after(leading(areSet));
    }

    /** How many booleans at the start of an array of PostgreSQL are true. */
    private static int leading(String array) {
        int count = 0;
        while (count < array.length() / 2 && array.charAt(1 + 2 * count) == 't') {
            count++;
        }
        return count;
    }

    /** Adds the weighted progress at each point to sums. */
    void addTo(long[] sums, Values values) {
        int until = sums.length;
        long last = values.values.length == 0 ? start : values.values[0];
        if (last != current) {
            // The previous version set the value without recording the time, which was the last change or earlier.
            until = addTo(sums, current, updated, until);
        }
        for (int i = 0; i < values.values.length && until > 0; i++) {
            until = addTo(sums, values.values[i], (int) values.moments[i], until);
        }
        // Before its first value, the key result has its start value, whose progress is 0.
    }

    private int addTo(long[] sums, long value, int from, int until) {
        if (from < until) {
            long weighted = weight * progress(value);
            for (int i = from; i < until; i++) {
                sums[i] += weighted;
            }
        }
        return Math.min(from, until);
    }

    /** The progress of a value, as in {@link Progress#between}. */
    int progress(long value) {
        boolean isDecreasing = target < start;
        long passed = isDecreasing ? start - value : value - start;
        long distance = isDecreasing ? start - target : target - start;
        if (passed <= 0) {
            return 0;
        }
        if (passed >= distance) {
            return WHOLE;
        }
        return distance <= MAX_DISTANCE
                ? (int) half(passed * WHOLE, distance)
                : Progress.between(BigDecimal.ZERO, BigDecimal.valueOf(passed), BigDecimal.valueOf(distance))
                        .movePointRight(PROGRESS_DECIMALS)
                        .intValueExact();
    }

    /** The quotient of two numbers that are not negative, rounded half up. */
    static long half(long numerator, long denominator) {
        return (2 * numerator + denominator) / (2 * denominator);
    }

    private static long millionths(BigDecimal value) {
        return value.setScale(VALUE_DECIMALS).unscaledValue().longValueExact();
    }

    static long thousandths(BigDecimal weight) {
        return weight.setScale(WEIGHT_DECIMALS).unscaledValue().longValueExact();
    }

    /** The numbers of an array such as {@code {1.500000,-2.000000}}, without their decimal points. */
    private static long[] digits(String array) {
        var numbers = new long[(int) array.chars().filter(each -> each == ',').count() + 1];
        int count = 0;
        long number = 0;
        boolean isNegative = false;
        for (int i = 1; i < array.length(); i++) {
            char each = array.charAt(i);
            switch (each) {
                case '-' -> isNegative = true;
                case '.' -> {}
                case ',', '}' -> {
                    numbers[count++] = isNegative ? -number : number;
                    number = 0;
                    isNegative = false;
                }
                default -> number = 10 * number + each - '0';
            }
        }
        return Arrays.copyOf(numbers, count);
    }
}
