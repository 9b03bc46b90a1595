package dev.okr.platform.http;

import dev.okr.platform.errors.FieldError;
import dev.okr.platform.ids.IdKind;
import dev.okr.platform.time.Timestamps;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/** Converts JSON values to the types of fields. */
final class FieldValues {
    private FieldValues() {}

    /** A wrong value. The pointers of the errors are relative to the field: empty, or a slash and an index. */
    static final class Wrong extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private final transient List<FieldError> errors;

        Wrong(List<FieldError> errors) {
            super("wrong value", null, false, false);
            this.errors = errors;
        }

        Wrong(String code, String detail) {
            this(List.of(new FieldError("", code, detail)));
        }

        List<FieldError> errors() {
            return errors;
        }
    }

    static String title(JsonValue value) {
        var text = normalized(value);
        if (text.isEmpty()) {
            throw new Wrong("too_short", "This field must not be empty.");
        }
        return atMost(Text.MAX_TITLE_CODE_POINTS, text);
    }

    static String note(JsonValue value) {
        return atMost(Text.MAX_NOTE_CODE_POINTS, normalized(value));
    }

    /** @param check returns the error of the text, if any */
    static Function<JsonValue, String> text(Function<String, Optional<FieldError>> check) {
        return value -> {
            var text = clean(string(value));
            check.apply(text).ifPresent(error -> {
                throw new Wrong(error.code(), error.detail());
            });
            return text;
        };
    }

    static BigDecimal decimal(JsonValue value) {
        if (!(value instanceof JsonValue.Number(var lexeme))) {
            throw wrongType("a number");
        }
        return switch (Decimals.parse(lexeme)) {
            case Decimals.Result.Value(var decimal) -> decimal;
            case Decimals.Result.OutOfRange outOfRange ->
                throw new Wrong("out_of_range", "The magnitude may be at most " + Decimals.MAX + '.');
            case Decimals.Result.TooManyDecimals tooMany ->
                throw new Wrong(
                        "too_many_decimals", "At most " + Decimals.MAX_FRACTION_DIGITS + " decimals are allowed.");
        };
    }

    /** A number from 0 to a maximum. */
    static Function<JsonValue, BigDecimal> decimal(BigDecimal max, int maxDecimals) {
        return value -> {
            var decimal = decimal(value);
            if (decimal.signum() < 0 || decimal.compareTo(max) > 0) {
                throw new Wrong("out_of_range", "This field must be from 0 to " + max.toPlainString() + '.');
            }
            if (decimal.stripTrailingZeros().scale() > maxDecimals) {
                throw new Wrong("too_many_decimals", "At most " + maxDecimals + " decimals are allowed.");
            }
            return decimal;
        };
    }

    /** A number without decimals. {@code 5.0} is one too. */
    static Function<JsonValue, Integer> integer(int min, int max) {
        return value -> {
            var decimal = decimal(value).stripTrailingZeros();
            if (decimal.scale() > 0) {
                throw wrongType("an integer");
            }
            if (decimal.compareTo(BigDecimal.valueOf(min)) < 0 || decimal.compareTo(BigDecimal.valueOf(max)) > 0) {
                throw new Wrong("out_of_range", "This field must be from " + min + " to " + max + '.');
            }
            return decimal.intValueExact();
        };
    }

    /** The id of a resource in another system. */
    static String externalId(JsonValue value) {
        var text = string(value);
        if (text.isEmpty()) {
            throw new Wrong("too_short", "This field must not be empty.");
        }
        atMost(Text.MAX_EXTERNAL_ID_CHARACTERS, text);
        if (!Text.isExternalId(text)) {
            throw new Wrong("invalid_characters", "Only visible ASCII characters are allowed.");
        }
        return text;
    }

    static Instant timestamp(JsonValue value) {
        return Timestamps.parse(string(value))
                .orElseThrow(() -> new Wrong(
                        "invalid_format",
                        "This field must be an RFC 3339 timestamp with an offset, such as 2026-01-31T09:30:00Z."));
    }

    static Boolean bool(JsonValue value) {
        if (!(value instanceof JsonValue.Bool(var bool))) {
            throw wrongType("true or false");
        }
        return bool;
    }

    static <E extends Enum<E>> Function<JsonValue, E> constant(Class<E> type) {
        return value -> EnumNames.parse(type, string(value))
                .orElseThrow(() -> new Wrong(List.of(notOneOf("", EnumNames.names(type)))));
    }

    static Function<JsonValue, UUID> reference(IdKind kind, Predicate<UUID> exists) {
        return value -> kind.parse(string(value))
                .filter(exists)
                .orElseThrow(() -> new Wrong(List.of(unknownReference("", kind))));
    }

    private static FieldError unknownReference(String pointer, IdKind kind) {
        return new FieldError(pointer, "unknown_reference", "There is no such " + kind.noun() + '.');
    }

    /**
     * A list of at least one id, without duplicates.
     *
     * @param known returns the given ids that the list may contain
     */
    static Function<JsonValue, List<UUID>> references(IdKind kind, UnaryOperator<Set<UUID>> known, int maxItems) {
        return value -> {
            if (!(value instanceof JsonValue.Array(var items))) {
                throw wrongType("an array of strings");
            }
            if (items.isEmpty()) {
                throw new Wrong("too_short", "This field must have at least one item.");
            }
            if (items.size() > maxItems) {
                throw new Wrong("too_long", "This field may have at most " + maxItems + " items.");
            }
            var parsed = items.stream()
                    .map(item -> item instanceof JsonValue.Text(var text) ? kind.parse(text) : Optional.<UUID>empty())
                    .toList();
            var found = known.apply(parsed.stream().flatMap(Optional::stream).collect(Collectors.toSet()));
            var errors = new ArrayList<FieldError>();
            for (int i = 0; i < items.size(); i++) {
                if (!(items.get(i) instanceof JsonValue.Text)) {
                    errors.add(new FieldError("/" + i, "invalid_type", "This field must be a string."));
                } else if (parsed.get(i).filter(found::contains).isEmpty()) {
                    errors.add(unknownReference("/" + i, kind));
                }
            }
            if (!errors.isEmpty()) {
                throw new Wrong(errors);
            }
            return parsed.stream().flatMap(Optional::stream).distinct().toList();
        };
    }

    static JsonValue.Object object(JsonValue value) {
        if (!(value instanceof JsonValue.Object object)) {
            throw wrongType("an object");
        }
        return object;
    }

    /** A list of at least one object. */
    static Function<JsonValue, List<JsonValue.Object>> objects(int max) {
        return objects(1, max);
    }

    static Function<JsonValue, List<JsonValue.Object>> objects(int min, int max) {
        return value -> {
            if (!(value instanceof JsonValue.Array(var items))) {
                throw wrongType("an array of objects");
            }
            if (items.size() < min) {
                throw new Wrong("too_short", "This field must have at least one item.");
            }
            if (items.size() > max) {
                throw new Wrong("too_long", "This field may have at most " + max + " items.");
            }
            var objects = new ArrayList<JsonValue.Object>();
            var errors = new ArrayList<FieldError>();
            for (int i = 0; i < items.size(); i++) {
                if (items.get(i) instanceof JsonValue.Object object) {
                    objects.add(object);
                } else {
                    errors.add(new FieldError("/" + i, "invalid_type", "This field must be an object."));
                }
            }
            if (!errors.isEmpty()) {
                throw new Wrong(errors);
            }
            return objects;
        };
    }

    /** A list of at least one of the choices, without duplicates. */
    static Function<JsonValue, List<String>> choices(Set<String> choices, int maxErrors) {
        return value -> {
            if (!(value instanceof JsonValue.Array(var items))) {
                throw wrongType("an array of strings");
            }
            if (items.isEmpty()) {
                throw new Wrong("too_short", "This field must name at least one value.");
            }
            var chosen = new ArrayList<String>();
            var errors = new ArrayList<FieldError>();
            for (int i = 0; i < items.size() && errors.size() < maxErrors; i++) {
                if (!(items.get(i) instanceof JsonValue.Text(var text))) {
                    errors.add(new FieldError("/" + i, "invalid_type", "This field must be a string."));
                } else if (!choices.contains(text)) {
                    errors.add(notOneOf("/" + i, choices.stream().sorted().collect(Collectors.joining(", "))));
                } else {
                    chosen.add(text);
                }
            }
            if (!errors.isEmpty()) {
                throw new Wrong(errors);
            }
            return chosen.stream().distinct().toList();
        };
    }

    private static String normalized(JsonValue value) {
        return clean(Text.normalize(string(value)));
    }

    private static String clean(String text) {
        if (!Text.isClean(text)) {
            throw new Wrong("invalid_characters", "Control characters and lone surrogates are not allowed.");
        }
        return text;
    }

    private static String string(JsonValue value) {
        if (!(value instanceof JsonValue.Text(var text))) {
            throw wrongType("a string");
        }
        return text;
    }

    private static String atMost(int maxCodePoints, String text) {
        if (Text.isLonger(text, maxCodePoints)) {
            throw new Wrong("too_long", "This field may have at most " + maxCodePoints + " characters.");
        }
        return text;
    }

    private static Wrong wrongType(String expected) {
        return new Wrong("invalid_type", "This field must be " + expected + '.');
    }

    private static FieldError notOneOf(String pointer, String names) {
        return new FieldError(pointer, "invalid_value", "This field must be one of: " + names + '.');
    }
}
