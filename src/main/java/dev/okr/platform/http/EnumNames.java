package dev.okr.platform.http;

import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** The names of enum constants in the API, which are in lower case. */
public final class EnumNames {
    /** The constants of each type by name, cached because lists parse one for each row. */
    private static final ClassValue<Map<String, Enum<?>>> BY_TEXT = new ClassValue<>() {
        @Override
        protected Map<String, Enum<?>> computeValue(Class<?> type) {
            return Arrays.stream(type.getEnumConstants())
                    .<Enum<?>>map(constant -> (Enum<?>) constant)
                    .collect(Collectors.toUnmodifiableMap(EnumNames::format, constant -> constant));
        }
    };

    private EnumNames() {}

    public static String format(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }

    /** Parses the exact lower-case name of a constant. */
    public static <E extends Enum<E>> Optional<E> parse(Class<E> type, String text) {
        return Optional.ofNullable(BY_TEXT.get(type).get(text)).map(type::cast);
    }

    /** The names of all constants of a type, for a message. */
    public static <E extends Enum<E>> String names(Class<E> type) {
        return Arrays.stream(type.getEnumConstants()).map(EnumNames::format).collect(Collectors.joining(", "));
    }
}
