package dev.okr.objectives;

import dev.okr.platform.http.BodyReader;
import dev.okr.platform.http.FieldChange;
import java.math.BigDecimal;
import java.util.Objects;

/** The weight of a key result or of an alignment: how much it counts for the progress of the objective. */
public final class Weight {
    public static final int MAX = 1_000;

    public static final BigDecimal DEFAULT = BigDecimal.ONE;

    private static final String FIELD = "weight";
    private static final int MAX_DECIMALS = 3;

    private Weight() {}

    static BigDecimal readOrDefault(BodyReader body) {
        return Objects.requireNonNullElse(body.optionalDecimal(FIELD, BigDecimal.valueOf(MAX), MAX_DECIMALS), DEFAULT);
    }

    public static FieldChange<BigDecimal> readChange(BodyReader body) {
        return body.changedDecimal(FIELD, BigDecimal.valueOf(MAX), MAX_DECIMALS);
    }
}
