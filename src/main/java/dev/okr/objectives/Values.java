package dev.okr.objectives;

import dev.okr.platform.http.BodyReader;
import java.math.BigDecimal;

/** The rules on a key result's values, at its creation and at every change. */
final class Values {
    private Values() {}

    static void checkDistance(BodyReader body, BigDecimal start, BigDecimal target) {
        if (target.compareTo(start) == 0) {
            body.reject("target_value", "equals_start", "target_value must differ from start_value.");
        }
    }

    static void checkBooleanTarget(BodyReader body, BigDecimal target) {
        if (target.compareTo(BigDecimal.ONE) != 0) {
            body.reject("target_value", "invalid_value", "A boolean key result aims at 1.");
        }
    }
}
