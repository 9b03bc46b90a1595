package dev.okr.objectives;

import dev.okr.platform.http.BodyReader;
import java.math.BigDecimal;

/** The rule that a check-in has a value that its key result can have. */
final class CheckInValue {
    private CheckInValue() {}

    static void check(BodyReader body, BigDecimal value, KeyResult keyResult) {
        if (!keyResult.metricType().allows(value)) {
            body.reject("value", "invalid_value", "A boolean key result has only the values 0 and 1.");
        }
    }
}
