package dev.okr.console.objectives;

import dev.okr.console.Numbers;
import dev.okr.console.Option;
import dev.okr.objectives.MetricType;
import io.quarkus.qute.TemplateExtension;
import java.math.BigDecimal;
import java.util.List;

/** The values of key results as pages show them. */
@TemplateExtension(namespace = "figures")
public final class Figures {
    private Figures() {}

    /** The values of a key result that is done or not done. Templates use the namespace {@code figures:}. */
    public static List<Option> doneOrNot() {
        return List.of(new Option("0", "Not done", ""), new Option("1", "Done", ""));
    }

    /** Such as {@code 1,250}, {@code 40%} or {@code done}. The currency of a value is not known. */
    static String text(BigDecimal value, MetricType type) {
        return switch (type) {
            case NUMBER, CURRENCY -> Numbers.format(value);
            case PERCENTAGE -> Numbers.format(value) + '%';
            case BOOLEAN -> value.signum() == 0 ? "not done" : "done";
        };
    }

    /** Formats a number for a form field: without separators and trailing zeros. */
    static String plain(BigDecimal value) {
        return value.signum() == 0 ? "0" : value.stripTrailingZeros().toPlainString();
    }
}
