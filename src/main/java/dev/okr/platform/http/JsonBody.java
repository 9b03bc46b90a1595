package dev.okr.platform.http;

import dev.okr.platform.errors.Failure;
import dev.okr.platform.errors.FieldError;
import dev.okr.platform.ids.IdKind;
import dev.okr.platform.time.Timestamps;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A request body, read field by field. What is wrong is collected, so that a caller learns everything at once from
 * {@link #verify}; until then a wrong field reads as a harmless stand-in.
 *
 * <p>Well-formed JSON is all that is checked before the method runs: which fields are right is asked after the
 * resource was found, in the order of the contract (section 2).
 */
public final class JsonBody {
    public static final int MAX_TITLE_CODE_POINTS = 250;
    public static final int MAX_NOTE_CODE_POINTS = 4_096;

    /** A body of a million wrong fields need not be answered with a million errors. */
    private static final int MAX_ERRORS = 100;

    private static final UUID NO_ID = new UUID(0, 0);
    private static final JsonValue NULL = new JsonValue.Null();

    private final JsonValue.Object body;
    private final byte[] bytes;
    private final Set<String> known = new HashSet<>();
    private final List<FieldError> errors = new ArrayList<>();

    /** @param bytes the body as it was sent */
    JsonBody(JsonValue.Object body, byte[] bytes) {
        this.body = body;
        this.bytes = bytes;
    }

    /** The body as it was sent. */
    public byte[] bytes() {
        return bytes.clone();
    }

    /** A required text of 1 to 250 code points: a title or a name. */
    public String requiredTitle(String field) {
        return required(field, value -> title(field, value), "");
    }

    /** A title or name that a PUT may leave out but not clear. */
    public Change<String> changedTitle(String field) {
        return changed(field, value -> title(field, value));
    }

    /** An optional text of up to 4,096 code points: a description or a note. */
    public @Nullable String optionalNote(String field) {
        return optional(field, value -> note(field, value));
    }

    /** A description or note that a PUT may leave out or clear. */
    public Change<String> clearableNote(String field) {
        return clearable(field, value -> note(field, value));
    }

    public BigDecimal requiredDecimal(String field) {
        return required(field, value -> decimal(field, value), BigDecimal.ZERO);
    }

    public Change<BigDecimal> changedDecimal(String field) {
        return changed(field, value -> decimal(field, value));
    }

    public Instant requiredTimestamp(String field) {
        return required(field, value -> timestamp(field, value), Instant.EPOCH);
    }

    public Change<Instant> changedTimestamp(String field) {
        return changed(field, value -> timestamp(field, value));
    }

    public Change<Boolean> changedBoolean(String field) {
        return changed(field, value -> bool(field, value));
    }

    /** A constant's lower-case name. */
    public <E extends Enum<E>> E requiredConstant(String field, Class<E> type) {
        return required(field, value -> constant(field, value, type), type.getEnumConstants()[0]);
    }

    public <E extends Enum<E>> @Nullable E optionalConstant(String field, Class<E> type) {
        return optional(field, value -> constant(field, value, type));
    }

    public <E extends Enum<E>> Change<E> changedConstant(String field, Class<E> type) {
        return changed(field, value -> constant(field, value, type));
    }

    /** @param exists looks the id up among the organisation's own */
    public UUID requiredReference(String field, IdKind kind, Predicate<UUID> exists) {
        return required(field, value -> reference(field, value, kind, exists), NO_ID);
    }

    public @Nullable UUID optionalReference(String field, IdKind kind, Predicate<UUID> exists) {
        return optional(field, value -> reference(field, value, kind, exists));
    }

    public Change<UUID> changedReference(String field, IdKind kind, Predicate<UUID> exists) {
        return changed(field, value -> reference(field, value, kind, exists));
    }

    public Change<UUID> clearableReference(String field, IdKind kind, Predicate<UUID> exists) {
        return clearable(field, value -> reference(field, value, kind, exists));
    }

    /** A text that only its feature can judge: no trimming, and the feature's own check. */
    public String requiredText(String field, Function<String, Optional<FieldError>> check) {
        return required(field, value -> checkedText(field, value, check), "");
    }

    public @Nullable String optionalText(String field, Function<String, Optional<FieldError>> check) {
        return optional(field, value -> checkedText(field, value, check));
    }

    public Change<String> changedText(String field, Function<String, Optional<FieldError>> check) {
        return changed(field, value -> checkedText(field, value, check));
    }

    /** A text as it was sent, read ahead and unjudged: for work that must be done before the resource is found. */
    public Optional<String> sentText(String field) {
        return body.members().get(field) instanceof JsonValue.Text(var text) ? Optional.of(text) : Optional.empty();
    }

    /** A list of at least one of the named values; repetitions count once. */
    public List<String> requiredChoices(String field, Set<String> choices) {
        return required(field, value -> choices(field, value, choices), List.of());
    }

    public Change<List<String>> changedChoices(String field, Set<String> choices) {
        return changed(field, value -> choices(field, value, choices));
    }

    /** Reports a field that is wrong by a rule of the domain, unless its shape is wrong already. */
    public void reject(String field, String code, String detail) {
        var pointer = pointer(field);
        if (errors.stream()
                .noneMatch(error ->
                        error.pointer().equals(pointer) || error.pointer().startsWith(pointer + '/'))) {
            errors.add(new FieldError(pointer, code, detail));
        }
    }

    /** Whether these fields were sent and are right so far, so that a rule that combines them can be asked. */
    public boolean isSound(String... fields) {
        return Arrays.stream(fields)
                .map(JsonBody::pointer)
                .noneMatch(pointer ->
                        errors.stream().anyMatch(error -> error.pointer().equals(pointer)));
    }

    /**
     * Ends the reading: every field that nobody asked for is unknown.
     *
     * @throws Failure with every wrong field, if there is any
     */
    public void verify() {
        for (var field : body.members().keySet()) {
            if (!known.contains(field) && errors.size() < MAX_ERRORS) {
                errors.add(new FieldError(pointer(field), "unknown_field", "This operation knows no such field."));
            }
        }
        if (!errors.isEmpty()) {
            throw Failure.validation(errors);
        }
    }

    /** The JSON Pointer of a field of the body (RFC 6901, section 3). */
    static String pointer(String field) {
        return '/' + Text.printable(field).replace("~", "~0").replace("/", "~1");
    }

    private <T> T required(String field, Function<JsonValue, Optional<T>> read, T standIn) {
        known.add(field);
        var value = body.members().get(field);
        if (value == null) {
            errors.add(new FieldError(pointer(field), "required", "This field is required."));
            return standIn;
        }
        return notNull(field, value) ? read.apply(value).orElse(standIn) : standIn;
    }

    /** Reads an optional field of a POST, where {@code null} says the same as absence. */
    private <T> @Nullable T optional(String field, Function<JsonValue, Optional<T>> read) {
        known.add(field);
        var value = body.members().getOrDefault(field, NULL);
        return value instanceof JsonValue.Null ? null : read.apply(value).orElse(null);
    }

    private <T> Change<T> changed(String field, Function<JsonValue, Optional<T>> read) {
        known.add(field);
        var value = body.members().get(field);
        return value == null || !notNull(field, value) ? new Change.Unchanged<>() : set(read.apply(value));
    }

    private <T> Change<T> clearable(String field, Function<JsonValue, Optional<T>> read) {
        known.add(field);
        return switch (body.members().get(field)) {
            case null -> new Change.Unchanged<>();
            case JsonValue.Null cleared -> new Change.Cleared<>();
            case JsonValue value -> set(read.apply(value));
        };
    }

    private static <T> Change<T> set(Optional<T> value) {
        return value.<Change<T>>map(Change.Set::new).orElseGet(Change.Unchanged::new);
    }

    private boolean notNull(String field, JsonValue value) {
        if (value instanceof JsonValue.Null) {
            errors.add(new FieldError(pointer(field), "not_nullable", "This field cannot be null."));
            return false;
        }
        return true;
    }

    private Optional<String> title(String field, JsonValue value) {
        return text(field, value).flatMap(text -> {
            if (text.isEmpty()) {
                return wrong(field, "too_short", "This field must not be empty.");
            }
            return bounded(field, text, MAX_TITLE_CODE_POINTS);
        });
    }

    private Optional<String> note(String field, JsonValue value) {
        return text(field, value).flatMap(text -> bounded(field, text, MAX_NOTE_CODE_POINTS));
    }

    private Optional<String> bounded(String field, String text, int maxCodePoints) {
        return text.codePointCount(0, text.length()) > maxCodePoints
                ? wrong(field, "too_long", "This field may have at most " + maxCodePoints + " characters.")
                : Optional.of(text);
    }

    private Optional<String> text(String field, JsonValue value) {
        if (!(value instanceof JsonValue.Text(var raw))) {
            return wrongType(field, "a string");
        }
        var text = Text.normalize(raw);
        return Text.isClean(text)
                ? Optional.of(text)
                : wrong(field, "invalid_characters", "Control characters and lone surrogates are not allowed.");
    }

    private Optional<String> checkedText(String field, JsonValue value, Function<String, Optional<FieldError>> check) {
        if (!(value instanceof JsonValue.Text(var text))) {
            return wrongType(field, "a string");
        }
        if (!Text.isClean(text)) {
            return wrong(field, "invalid_characters", "Control characters and lone surrogates are not allowed.");
        }
        var error = check.apply(text);
        error.ifPresent(errors::add);
        return error.isPresent() ? Optional.empty() : Optional.of(text);
    }

    private Optional<BigDecimal> decimal(String field, JsonValue value) {
        if (!(value instanceof JsonValue.Number(var lexeme))) {
            return wrongType(field, "a number");
        }
        return switch (Decimals.parse(lexeme)) {
            case Decimals.Result.Value(var decimal) -> Optional.of(decimal);
            case Decimals.Result.OutOfRange outOfRange ->
                wrong(field, "out_of_range", "The magnitude may be at most 99999999999.999999.");
            case Decimals.Result.TooManyDecimals tooMany ->
                wrong(field, "too_many_decimals", "At most 6 decimals are allowed.");
        };
    }

    private Optional<Instant> timestamp(String field, JsonValue value) {
        if (!(value instanceof JsonValue.Text(var text))) {
            return wrongType(field, "a string");
        }
        var timestamp = Timestamps.parse(text);
        return timestamp.isPresent()
                ? timestamp
                : wrong(
                        field,
                        "invalid_format",
                        "This field must be an RFC 3339 timestamp with an offset, such as 2026-01-31T09:30:00Z.");
    }

    private Optional<Boolean> bool(String field, JsonValue value) {
        return value instanceof JsonValue.Bool(var bool) ? Optional.of(bool) : wrongType(field, "true or false");
    }

    private <E extends Enum<E>> Optional<E> constant(String field, JsonValue value, Class<E> type) {
        if (!(value instanceof JsonValue.Text(var text))) {
            return wrongType(field, "a string");
        }
        var constant = EnumNames.parse(type, text);
        return constant.isPresent()
                ? constant
                : wrong(field, "invalid_value", "This field must be one of: " + EnumNames.names(type) + '.');
    }

    private Optional<UUID> reference(String field, JsonValue value, IdKind kind, Predicate<UUID> exists) {
        if (!(value instanceof JsonValue.Text(var text))) {
            return wrongType(field, "a string");
        }
        var id = kind.parse(text).filter(exists);
        return id.isPresent()
                ? id
                : wrong(
                        field,
                        "unknown_reference",
                        "There is no such "
                                + kind.name().toLowerCase(Locale.ROOT).replace('_', ' ') + '.');
    }

    private Optional<List<String>> choices(String field, JsonValue value, Set<String> choices) {
        if (!(value instanceof JsonValue.Array(var items))) {
            return wrongType(field, "an array of strings");
        }
        if (items.isEmpty()) {
            return wrong(field, "too_short", "This field must name at least one value.");
        }
        int before = errors.size();
        for (int i = 0; i < items.size() && errors.size() < MAX_ERRORS; i++) {
            checkChoice(pointer(field) + '/' + i, items.get(i), choices);
        }
        return errors.size() > before
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

    private <T> Optional<T> wrongType(String field, String expected) {
        return wrong(field, "invalid_type", "This field must be " + expected + '.');
    }

    private <T> Optional<T> wrong(String field, String code, String detail) {
        errors.add(new FieldError(pointer(field), code, detail));
        return Optional.empty();
    }
}
