package dev.okr.objectives.progress;

import java.math.BigDecimal;
import java.math.RoundingMode;

/** Computes progress: a fraction from 0 to 1 with 4 decimals, rounded half up. */
public final class Progress {
    public static final BigDecimal NONE = BigDecimal.ZERO;

    static final int DECIMALS = 4;

    private Progress() {}

    /**
     * The progress of a value from start to target. A target below the start needs no special case, because both
     * differences are negative then.
     */
    public static BigDecimal between(BigDecimal start, BigDecimal current, BigDecimal target) {
        return current.subtract(start)
                .divide(target.subtract(start), DECIMALS, RoundingMode.HALF_UP)
                .max(BigDecimal.ZERO)
                .min(BigDecimal.ONE);
    }

    /** The mean of some fractions. 0 if there are none. */
    public static BigDecimal mean(BigDecimal sum, long count) {
        return mean(sum, BigDecimal.valueOf(count));
    }

    /**
     * The weighted mean of some fractions. 0 if the sum of the weights is 0.
     *
     * @param sum the sum of each fraction times its weight
     */
    public static BigDecimal mean(BigDecimal sum, BigDecimal weights) {
        return weights.signum() == 0 ? NONE : sum.divide(weights, DECIMALS, RoundingMode.HALF_UP);
    }
}
