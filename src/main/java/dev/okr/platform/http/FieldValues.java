package dev.okr.platform.http;

import dev.okr.platform.errors.FieldError;
import dev.okr.platform.ids.IdKind;
import dev.okr.platform.time.Timestamps;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** Converts JSON values to the types of fields. A wrong value adds an error and converts to nothing. */
record FieldValues(BodyErrors errors) {

    Optional<String> title(String field, JsonValue value) {
        return text(field, value)
                .flatMap(text -> text.isEmpty()
                        ? errors.add(field, "too_short", "This field must not be empty.")
                        : atMost(Text.MAX_TITLE_CODE_POINTS, field, text));
    }

    Optional<String> note(String field, JsonValue value) {
        return text(field, value).flatMap(text -> atMost(Text.MAX_NOTE_CODE_POINTS, field, text));
    }

    Optional<String> checkedText(String field, JsonValue value, Function<String, Optional<FieldError>> check) {
        return cleanText(field, value).flatMap(text -> {
            var error = check.apply(text);
            return error.isPresent() ? errors.add(error.get()) : Optional.of(text);
        });
    }

    Optional<BigDecimal> decimal(String field, JsonValue value) {
        if (!(value instanceof JsonValue.Number(var lexeme))) {
            return errors.addWrongType(field, "a number");
        }
        return switch (Decimals.parse(lexeme)) {
            case Decimals.Result.Value(var decimal) -> Optional.of(decimal);
            case Decimals.Result.OutOfRange outOfRange ->
                errors.add(field, "out_of_range", "The magnitude may be at most " + Decimals.MAX + '.');
            case Decimals.Result.TooManyDecimals tooMany ->
                errors.add(
                        field,
                        "too_many_decimals",
                        "At most " + Decimals.MAX_FRACTION_DIGITS + " decimals are allowed.");
        };
    }

    Optional<Instant> timestamp(String field, JsonValue value) {
        if (!(value instanceof JsonValue.Text(var text))) {
            return errors.addWrongType(field, "a string");
        }
        var timestamp = Timestamps.parse(text);
        return timestamp.isPresent()
                ? timestamp
                : errors.add(
                        field,
                        "invalid_format",
                        "This field must be an RFC 3339 timestamp with an offset, such as 2026-01-31T09:30:00Z.");
    }

    Optional<Boolean> bool(String field, JsonValue value) {
        return value instanceof JsonValue.Bool(var bool)
                ? Optional.of(bool)
                : errors.addWrongType(field, "true or false");
    }

    <E extends Enum<E>> Optional<E> constant(String field, JsonValue value, Class<E> type) {
        if (!(value instanceof JsonValue.Text(var text))) {
            return errors.addWrongType(field, "a string");
        }
        var constant = EnumNames.parse(type, text);
        return constant.isPresent() ? constant : notOneOf(field, EnumNames.names(type));
    }

    Optional<UUID> reference(String field, JsonValue value, IdKind kind, Predicate<UUID> exists) {
        if (!(value instanceof JsonValue.Text(var text))) {
            return errors.addWrongType(field, "a string");
        }
        var id = kind.parse(text).filter(exists);
        return id.isPresent() ? id : errors.add(field, "unknown_reference", "There is no such " + kind.noun() + '.');
    }

    Optional<List<String>> choices(String field, JsonValue value, Set<String> choices) {
        if (!(value instanceof JsonValue.Array(var items))) {
            return errors.addWrongType(field, "an array of strings");
        }
        if (items.isEmpty()) {
            return errors.add(field, "too_short", "This field must name at least one value.");
        }
        int before = errors.count();
        for (int i = 0; i < items.size() && !errors.isFull(); i++) {
            checkChoice(BodyErrors.pointer(field) + '/' + i, items.get(i), choices);
        }
        return errors.count() > before
                ? Optional.empty()
                : Optional.of(items.stream()
                        .map(item -> ((JsonValue.Text) item).value())
                        .distinct()
                        .toList());
    }

    private void checkChoice(String pointer, JsonValue item, Set<String> choices) {
        if (!(item instanceof JsonValue.Text(var text))) {
            errors.add(new FieldError(pointer, "invalid_type", "This field must be a string."));
        } else if (!choices.contains(text)) {
            var names = choices.stream().sorted().collect(Collectors.joining(", "));
            errors.add(new FieldError(pointer, "invalid_value", "This field must be one of: " + names + '.'));
        }
    }

    private Optional<String> text(String field, JsonValue value) {
        return value instanceof JsonValue.Text(var raw)
                ? cleanText(field, new JsonValue.Text(Text.normalize(raw)))
                : cleanText(field, value);
    }

    private Optional<String> cleanText(String field, JsonValue value) {
        if (!(value instanceof JsonValue.Text(var text))) {
            return errors.addWrongType(field, "a string");
        }
        return Text.isClean(text)
                ? Optional.of(text)
                : errors.add(field, "invalid_characters", "Control characters and lone surrogates are not allowed.");
    }

    private Optional<String> atMost(int maxCodePoints, String field, String text) {
        return Text.isLonger(text, maxCodePoints)
                ? errors.add(field, "too_long", "This field may have at most " + maxCodePoints + " characters.")
                : Optional.of(text);
    }

    private <T> Optional<T> notOneOf(String field, String names) {
        return errors.add(field, "invalid_value", "This field must be one of: " + names + '.');
    }
}
