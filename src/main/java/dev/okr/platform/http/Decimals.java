package dev.okr.platform.http;

import java.math.BigDecimal;
import java.util.regex.Pattern;

/** Metric values: exact decimals of at most 11 digits before and 6 after the point (contract, section 1). */
final class Decimals {
    static final int MAX_INTEGER_DIGITS = 11;
    static final int MAX_FRACTION_DIGITS = 6;

    private static final Pattern NUMBER = Pattern.compile("-?(\\d+)(?:\\.(\\d+))?(?:[eE]([+-]?)0*(\\d*))?");

    /** An exponent of more digits moves the point farther than any body has digits. */
    private static final int MAX_EXPONENT_DIGITS = 8;

    private Decimals() {}

    /** What a JSON number turned out to be. */
    sealed interface Result {
        record Value(BigDecimal value) implements Result {}

        record OutOfRange() implements Result {}

        record TooManyDecimals() implements Result {}
    }

    /** Judges a JSON number by its characters alone, so that no arithmetic is done on an absurd one. */
    static Result parse(String lexeme) {
        var match = NUMBER.matcher(lexeme);
        if (!match.matches()) {
            throw new IllegalArgumentException("not a JSON number");
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
