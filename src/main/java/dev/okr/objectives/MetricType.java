package dev.okr.objectives;

import java.math.BigDecimal;

/** What a key result's values count. */
public enum MetricType {
    NUMBER,
    PERCENTAGE,
    CURRENCY,
    /** Done or not: it starts at 0, aims at 1, and knows no value between. */
    BOOLEAN;

    /** Whether a key result of this type can have this value. */
    public boolean allows(BigDecimal value) {
        return this != BOOLEAN || value.compareTo(BigDecimal.ZERO) == 0 || value.compareTo(BigDecimal.ONE) == 0;
    }
}
