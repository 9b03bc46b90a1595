package dev.okr.http;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/** Enum constants as the API writes them: in lower case. */
public final class Constants {
    private Constants() {}

    public static String format(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }

    /** Reads a constant; only the exact lower-case name will do. */
    public static <E extends Enum<E>> Optional<E> parse(Class<E> type, String text) {
        // A loop, since lists read one for each row.
        for (var constant : type.getEnumConstants()) {
            if (constant.name().equalsIgnoreCase(text) && format(constant).equals(text)) {
                return Optional.of(constant);
            }
        }
        return Optional.empty();
    }

    /** All constants of a type, for a message that says which there are. */
    public static <E extends Enum<E>> String names(Class<E> type) {
        return Arrays.stream(type.getEnumConstants()).map(Constants::format).collect(Collectors.joining(", "));
    }
}
