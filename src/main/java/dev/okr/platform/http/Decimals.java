package dev.okr.platform.http;

import java.math.BigDecimal;
import java.util.regex.Pattern;

/** Metric values: exact decimals with at most 11 digits before and 6 digits after the point. */
public final class Decimals {
    /** The exclusive minimum of values in the OpenAPI document. */
    public static final String EXCLUSIVE_MIN = "-100000000000";

    /** The exclusive maximum of values in the OpenAPI document. */
    public static final String EXCLUSIVE_MAX = "100000000000";

    static final int MAX_FRACTION_DIGITS = 6;
    static final int MAX_INTEGER_DIGITS = EXCLUSIVE_MAX.length() - 1;
    public static final String MAX = "9".repeat(MAX_INTEGER_DIGITS) + '.' + "9".repeat(MAX_FRACTION_DIGITS);

    private static final Pattern NUMBER = Pattern.compile("-?(\\d+)(?:\\.(\\d+))?(?:[eE]([+-]?)0*(\\d*))?");

    /** No body has enough digits to bring a number with a longer exponent back into range. */
    private static final int MAX_EXPONENT_DIGITS = 8;

    private Decimals() {}

    sealed interface Result {
        record Value(BigDecimal value) implements Result {}

        record OutOfRange() implements Result {}

        record TooManyDecimals() implements Result {}
    }

    /** Checks the characters before any arithmetic, because a number can have a million digits. */
    static Result parse(String lexeme) {
        var match = NUMBER.matcher(lexeme);
        if (!match.matches()) {
            throw new IllegalArgumentException("The text is not a JSON number.");
        }
        var integer = match.group(1);
        var fraction = match.group(2) == null ? "" : match.group(2);
        var digits = integer + fraction;
        int first = firstNonZero(digits);
        if (first == digits.length()) {
            return new Result.Value(BigDecimal.ZERO);
        }
        boolean negativeExponent = "-".equals(match.group(3));
        var exponentDigits = match.group(4) == null ? "" : match.group(4);
        if (exponentDigits.length() > MAX_EXPONENT_DIGITS) {
            return negativeExponent ? new Result.TooManyDecimals() : new Result.OutOfRange();
        }
        int exponent = exponentDigits.isEmpty() ? 0 : Integer.parseInt(exponentDigits);
        // The position of the decimal point, counted from the first significant digit.
        int point = integer.length() - first + (negativeExponent ? -exponent : exponent);
        int last = lastNonZero(digits);
        if (point > MAX_INTEGER_DIGITS) {
            return new Result.OutOfRange();
        }
        if (last - first + 1 - point > MAX_FRACTION_DIGITS) {
            return new Result.TooManyDecimals();
        }
        var significant = digits.substring(first, last + 1);
        var value = new BigDecimal(significant).scaleByPowerOfTen(point - significant.length());
        return new Result.Value(lexeme.charAt(0) == '-' ? value.negate() : value);
    }

    /** Whether the result of a calculation with metric values is a metric value too. */
    public static boolean isInRange(BigDecimal value) {
        return value.abs().compareTo(new BigDecimal(MAX)) <= 0;
    }

    private static int firstNonZero(String digits) {
        int i = 0;
        while (i < digits.length() && digits.charAt(i) == '0') {
            i++;
        }
        return i;
    }

    private static int lastNonZero(String digits) {
        int i = digits.length() - 1;
        while (digits.charAt(i) == '0') {
            i--;
        }
        return i;
    }
}
