package dev.okr.objectives;

import java.math.BigDecimal;

/** The start values of the key results of carried-over objectives. */
public enum CarriedValues {
    /** At the current value. Key results that have reached their target are left out. */
    KEEP,
    /** At the start of the original. */
    RESTART;

    boolean include(KeyResultResponse original) {
        return this == RESTART || original.progress().compareTo(BigDecimal.ONE) < 0;
    }

    BigDecimal start(KeyResultResponse original) {
        // The start of a boolean key result is always 0.
        return this == RESTART || original.metricType() == MetricType.BOOLEAN
                ? original.startValue()
                : original.currentValue();
    }
}
