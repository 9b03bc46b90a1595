package dev.okr.console;

import dev.okr.objectives.MetricType;
import java.math.BigDecimal;
import java.text.DecimalFormat;
import java.text.DecimalFormatSymbols;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/** Formats numbers for pages, and parses numbers that people enter. */
public final class Numbers {
    private static final int MAX_LENGTH = 40;
    private static final char MINUS = '−';

    /** Spaces, including non-breaking ones, and the percent sign at the end. */
    private static final Pattern IGNORED = Pattern.compile("[\\s\\u00a0\\u2009\\u202f]+|%$");

    private static final Pattern GROUPED = Pattern.compile("[+-]?\\d{1,3}(,\\d{3})+(\\.\\d*)?");
    private static final Pattern PLAIN = Pattern.compile("[+-]?(\\d+\\.?\\d*|\\.\\d+)");

    private Numbers() {}

    /** Such as {@code 12,500.75}. */
    public static String format(BigDecimal number) {
        // DecimalFormat is not thread-safe.
        return new DecimalFormat("#,##0.######", DecimalFormatSymbols.getInstance(Locale.ENGLISH)).format(number);
    }

    /** A value of a key result, such as {@code 1,250}, {@code 40%} or {@code done}. The currency is unknown. */
    public static String format(BigDecimal value, MetricType type) {
        return switch (type) {
            case NUMBER, CURRENCY -> format(value);
            case PERCENTAGE -> format(value) + '%';
            case BOOLEAN -> value.signum() == 0 ? "not done" : "done";
        };
    }

    /**
     * The number that somebody has entered. Empty for other text. Commas only separate thousands. So {@code 1,5} is not
     * a number, because it could mean 1.5 or 15.
     */
    public static Optional<BigDecimal> parse(String text) {
        if (text.length() > MAX_LENGTH) {
            return Optional.empty();
        }
        var plain = IGNORED.matcher(text.strip()).replaceAll("").replace(MINUS, '-');
        if (GROUPED.matcher(plain).matches()) {
            plain = plain.replace(",", "");
        }
        return PLAIN.matcher(plain).matches() ? Optional.of(new BigDecimal(plain)) : Optional.empty();
    }
}
