package dev.okr.platform.http;

import dev.okr.platform.errors.Failure;
import dev.okr.platform.errors.FieldError;
import dev.okr.platform.ids.IdKind;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Reads the fields of a request body and collects their errors. {@link #verify} reports all errors together. Until then
 * a wrong required field has a placeholder value.
 */
public final class BodyReader {
    private static final UUID NO_ID = new UUID(0, 0);
    private static final JsonValue NULL = new JsonValue.Null();

    private final Map<String, JsonValue> members;
    private final Set<String> known = new HashSet<>();
    private final BodyErrors errors = new BodyErrors();
    private final FieldValues values = new FieldValues(errors);

    BodyReader(Map<String, JsonValue> members) {
        this.members = members;
    }

    /** A required title or name, see {@link Text#MAX_TITLE_CODE_POINTS}. */
    public String requiredTitle(String field) {
        return required(field, value -> values.title(field, value), "");
    }

    public Change<String> changedTitle(String field) {
        return changed(field, value -> values.title(field, value));
    }

    /** An optional description or note, see {@link Text#MAX_NOTE_CODE_POINTS}. */
    public @Nullable String optionalNote(String field) {
        return optional(field, value -> values.note(field, value));
    }

    public Change<String> clearableNote(String field) {
        return clearable(field, value -> values.note(field, value));
    }

    public BigDecimal requiredDecimal(String field) {
        return required(field, value -> values.decimal(field, value), BigDecimal.ZERO);
    }

    public Change<BigDecimal> changedDecimal(String field) {
        return changed(field, value -> values.decimal(field, value));
    }

    public Instant requiredTimestamp(String field) {
        return required(field, value -> values.timestamp(field, value), Instant.EPOCH);
    }

    public Change<Instant> changedTimestamp(String field) {
        return changed(field, value -> values.timestamp(field, value));
    }

    public Change<Boolean> changedBoolean(String field) {
        return changed(field, value -> values.bool(field, value));
    }

    /** The lower-case name of an enum constant. */
    public <E extends Enum<E>> E requiredConstant(String field, Class<E> type) {
        return required(field, value -> values.constant(field, value, type), type.getEnumConstants()[0]);
    }

    public <E extends Enum<E>> @Nullable E optionalConstant(String field, Class<E> type) {
        return optional(field, value -> values.constant(field, value, type));
    }

    public <E extends Enum<E>> Change<E> changedConstant(String field, Class<E> type) {
        return changed(field, value -> values.constant(field, value, type));
    }

    /** @param exists whether the organisation has a resource with the id */
    public UUID requiredReference(String field, IdKind kind, Predicate<UUID> exists) {
        return required(field, value -> values.reference(field, value, kind, exists), NO_ID);
    }

    public @Nullable UUID optionalReference(String field, IdKind kind, Predicate<UUID> exists) {
        return optional(field, value -> values.reference(field, value, kind, exists));
    }

    public Change<UUID> changedReference(String field, IdKind kind, Predicate<UUID> exists) {
        return changed(field, value -> values.reference(field, value, kind, exists));
    }

    public Change<UUID> clearableReference(String field, IdKind kind, Predicate<UUID> exists) {
        return clearable(field, value -> values.reference(field, value, kind, exists));
    }

    /** A text that is not trimmed. The feature checks it. */
    public String requiredText(String field, Function<String, Optional<FieldError>> check) {
        return required(field, value -> values.checkedText(field, value, check), "");
    }

    public @Nullable String optionalText(String field, Function<String, Optional<FieldError>> check) {
        return optional(field, value -> values.checkedText(field, value, check));
    }

    public Change<String> changedText(String field, Function<String, Optional<FieldError>> check) {
        return changed(field, value -> values.checkedText(field, value, check));
    }

    /** A list of at least one of the choices, without duplicates. */
    public List<String> requiredChoices(String field, Set<String> choices) {
        return required(field, value -> values.choices(field, value, choices), List.of());
    }

    public Change<List<String>> changedChoices(String field, Set<String> choices) {
        return changed(field, value -> values.choices(field, value, choices));
    }

    /** Reports a broken rule of the domain, unless the field has an error already. */
    public void reject(String field, String code, String detail) {
        if (!errors.hasWithin(field)) {
            errors.add(field, code, detail);
        }
    }

    /** Whether none of the fields has an error, so that a rule that combines them can be checked. */
    public boolean isSound(String... fields) {
        return Arrays.stream(fields).noneMatch(errors::has);
    }

    /**
     * Ends the reading. Fields that were not read are unknown.
     *
     * @throws Failure with all errors, if there are any
     */
    public void verify() {
        for (var field : members.keySet()) {
            if (!known.contains(field) && !errors.isFull()) {
                errors.add(field, "unknown_field", "This operation has no such field.");
            }
        }
        errors.throwIfAny();
    }

    private <T> T required(String field, Function<JsonValue, Optional<T>> read, T placeholder) {
        known.add(field);
        var value = members.get(field);
        if (value == null) {
            errors.add(field, "required", "This field is required.");
            return placeholder;
        }
        return isNotNull(field, value) ? read.apply(value).orElse(placeholder) : placeholder;
    }

    /** Reads an optional field of a POST. There {@code null} equals an absent field. */
    private <T> @Nullable T optional(String field, Function<JsonValue, Optional<T>> read) {
        known.add(field);
        var value = members.getOrDefault(field, NULL);
        return value instanceof JsonValue.Null ? null : read.apply(value).orElse(null);
    }

    /** Reads a field that a PUT can omit but not clear. */
    private <T> Change<T> changed(String field, Function<JsonValue, Optional<T>> read) {
        known.add(field);
        var value = members.get(field);
        return value == null || !isNotNull(field, value) ? new Change.Unchanged<>() : set(read.apply(value));
    }

    /** Reads a field that a PUT can omit or clear. */
    private <T> Change<T> clearable(String field, Function<JsonValue, Optional<T>> read) {
        known.add(field);
        return switch (members.get(field)) {
            case null -> new Change.Unchanged<>();
            case JsonValue.Null cleared -> new Change.Cleared<>();
            case JsonValue value -> set(read.apply(value));
        };
    }

    private static <T> Change<T> set(Optional<T> value) {
        return value.<Change<T>>map(Change.Set::new).orElseGet(Change.Unchanged::new);
    }

    private boolean isNotNull(String field, JsonValue value) {
        if (value instanceof JsonValue.Null) {
            errors.add(field, "not_nullable", "This field cannot be null.");
            return false;
        }
        return true;
    }
}
