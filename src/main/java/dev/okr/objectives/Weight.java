package dev.okr.objectives;

import dev.okr.platform.http.BodyReader;
import dev.okr.platform.http.FieldChange;
import java.math.BigDecimal;
import java.util.Objects;

/** The weight of a key result or of an alignment: how much it counts for the progress of the objective. */
final class Weight {
    static final BigDecimal DEFAULT = BigDecimal.ONE;

    private static final String FIELD = "weight";
    private static final BigDecimal MAX = BigDecimal.valueOf(1_000);
    private static final int MAX_DECIMALS = 3;

    private Weight() {}

    static BigDecimal readOrDefault(BodyReader body) {
        var weight = Objects.requireNonNullElse(body.optionalDecimal(FIELD), DEFAULT);
        check(body, weight);
        return weight;
    }

    static FieldChange<BigDecimal> readChange(BodyReader body) {
        var change = body.changedDecimal(FIELD);
        check(body, change.orElse(DEFAULT));
        return change;
    }

    private static void check(BodyReader body, BigDecimal weight) {
        if (weight.signum() < 0 || weight.compareTo(MAX) > 0) {
            body.reject(FIELD, "out_of_range", "This field must be from 0 to " + MAX + '.');
        } else if (weight.stripTrailingZeros().scale() > MAX_DECIMALS) {
            body.reject(FIELD, "too_many_decimals", "At most " + MAX_DECIMALS + " decimals are allowed.");
        }
    }
}
