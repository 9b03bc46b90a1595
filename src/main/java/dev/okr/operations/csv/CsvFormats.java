package dev.okr.operations.csv;

import dev.okr.platform.time.Timestamps;
import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The formats of the numbers and dates in a spreadsheet. */
record CsvFormats(boolean decimalComma, ZoneId zone, List<DateTimeFormatter> dates) {
    private static final int MAX_GROUPS = 10;
    private static final String SPACES = "\\s\\u00A0\\u202F";
    private static final Pattern WITH_POINT = numbers(",", "\\.");
    private static final Pattern WITH_COMMA = numbers("\\.", ",");

    /**
     * Spaces, currencies and percent signs can stand before and after the digits. Between digits, only equal separators
     * of groups of three are allowed. So 1,5 is not taken for 15.
     */
    private static Pattern numbers(String group, String decimal) {
        var ignored = "[" + SPACES + "%€$£]*+";
        var groups = "[1-9]\\d{0,2}(?<group>[" + SPACES + group + "])\\d{3}(?:\\k<group>\\d{3}){0," + MAX_GROUPS + "}";
        return Pattern.compile(ignored + "(?<sign>[+-]?)" + ignored + "(?<whole>" + groups + "|\\d*)" + "(?:" + decimal
                + "(?<fraction>\\d*))?(?<exponent>[eE][+-]?\\d+)?" + ignored);
    }

    Optional<BigDecimal> number(String text) {
        var match = (decimalComma ? WITH_COMMA : WITH_POINT).matcher(text);
        if (!match.matches()) {
            return Optional.empty();
        }
        try {
            return Optional.of(new BigDecimal(match.group("sign")
                    + match.group("whole").replaceAll("\\D", "")
                    + "." + orEmpty(match.group("fraction"))
                    + orEmpty(match.group("exponent"))));
        } catch (NumberFormatException e) {
            return Optional.empty();
        }
    }

    private static String orEmpty(@Nullable String text) {
        return text == null ? "" : text;
    }

    Optional<Instant> time(String text) {
        var exact = Timestamps.parse(text);
        if (exact.isPresent()) {
            return exact;
        }
        for (var format : dates) {
            try {
                return Timestamps.inRange(
                        switch (format.parseBest(text, ZonedDateTime::from, LocalDateTime::from, LocalDate::from)) {
                            case ZonedDateTime zoned -> zoned.toInstant();
                            case LocalDateTime local -> local.atZone(zone).toInstant();
                            case LocalDate day -> day.atStartOfDay(zone).toInstant();
                            default -> throw new IllegalStateException("parseBest returns one of these.");
                        });
            } catch (DateTimeException e) {
                // The next format may fit.
            }
        }
        return Optional.empty();
    }
}
