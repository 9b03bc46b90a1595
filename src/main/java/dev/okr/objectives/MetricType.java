package dev.okr.objectives;

import dev.okr.platform.http.BodyReader;
import java.math.BigDecimal;

/** What the values of a key result measure. */
public enum MetricType {
    NUMBER,
    PERCENTAGE,
    CURRENCY,
    /** Done or not done. The start is 0, the target is 1, and there are no other values. */
    BOOLEAN;

    /** Rejects a current value that a key result of this type cannot have. */
    public void checkValue(BodyReader body, String field, BigDecimal value) {
        if (this == BOOLEAN && value.compareTo(BigDecimal.ZERO) != 0 && value.compareTo(BigDecimal.ONE) != 0) {
            body.reject(field, "invalid_value", "A boolean key result has only the values 0 and 1.");
        }
    }

    /** Rejects a start that a key result of this type cannot have. */
    public void checkStart(BodyReader body, BigDecimal start) {
        if (this == BOOLEAN && start.compareTo(BigDecimal.ZERO) != 0) {
            body.reject("start_value", "invalid_value", "A boolean key result starts at 0.");
        }
    }

    /** Rejects a target that a key result of this type and start cannot have. */
    public void checkTarget(BodyReader body, BigDecimal start, BigDecimal target) {
        if (this == BOOLEAN) {
            if (target.compareTo(BigDecimal.ONE) != 0) {
                body.reject("target_value", "invalid_value", "The target of a boolean key result is 1.");
            }
        } else if (target.compareTo(start) == 0) {
            body.reject("target_value", "equals_start", "target_value must differ from start_value.");
        }
    }
}
