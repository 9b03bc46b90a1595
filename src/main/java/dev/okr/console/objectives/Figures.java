package dev.okr.console.objectives;

import dev.okr.objectives.MetricType;
import java.math.BigDecimal;
import java.text.DecimalFormat;
import java.text.DecimalFormatSymbols;
import java.util.Locale;

/** The values of key results as pages show them. */
final class Figures {
    private static final int MAX_DECIMALS = 6;

    private Figures() {}

    /** Such as {@code 1,250}, {@code 40%} or {@code done}. The currency of a value is not known. */
    static String text(BigDecimal value, MetricType type) {
        return switch (type) {
            case NUMBER, CURRENCY -> number(value);
            case PERCENTAGE -> number(value) + '%';
            case BOOLEAN -> value.signum() == 0 ? "not done" : "done";
        };
    }

    static String number(BigDecimal value) {
        var format = new DecimalFormat("#,##0", DecimalFormatSymbols.getInstance(Locale.ENGLISH));
        format.setMaximumFractionDigits(MAX_DECIMALS);
        return format.format(value);
    }

    /** As a form field has it: without separators and trailing zeros. */
    static String plain(BigDecimal value) {
        return value.signum() == 0 ? "0" : value.stripTrailingZeros().toPlainString();
    }
}
