package dev.okr.platform.http;

import dev.okr.platform.errors.Failure;
import dev.okr.platform.errors.FieldError;
import dev.okr.platform.ids.IdKind;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Reads the fields of a request body and collects their errors. {@link #verify} reports all errors together. Until then
 * a wrong required field has a placeholder value.
 */
public final class BodyReader {
    /** Limits the reported unknown fields of a body, and the reported errors of a list. There can be a million. */
    private static final int MAX_ERRORS = 100;

    /** Limits the response. A body with many objects can have several errors in each. */
    private static final int MAX_ALL_ERRORS = 1_000;

    private static final String EXTERNAL_ID = "external_id";

    private static final UUID NO_ID = new UUID(0, 0);
    private static final JsonValue NULL = new JsonValue.Null();

    private final Map<String, JsonValue> members;
    private final String path;
    private final Errors errors;
    private final Set<String> known = new HashSet<>();
    private final List<BodyReader> nested = new ArrayList<>();

    /** Reads the fields of a body, or of a form of the console. */
    public BodyReader(Map<String, JsonValue> members) {
        this(members, "", new Errors());
    }

    /** @param path the JSON Pointer of the object; empty for the body */
    private BodyReader(Map<String, JsonValue> members, String path, Errors errors) {
        this.members = members;
        this.path = path;
        this.errors = errors;
    }

    /**
     * The errors of a body and of all objects in it. The pointers are sorted, so that a search for an error takes little
     * time even if each of a thousand objects has some.
     */
    private static final class Errors {
        private final List<FieldError> all = new ArrayList<>();
        private final NavigableSet<String> pointers = new TreeSet<>();
        private int unknown;

        void add(String pointer, String code, String detail) {
            if (all.size() < MAX_ALL_ERRORS) {
                all.add(new FieldError(pointer, code, detail));
                pointers.add(pointer);
            }
        }

        boolean isAt(String pointer) {
            return pointers.contains(pointer);
        }

        boolean isBelow(String pointer) {
            var elements = pointer + '/';
            var first = pointers.ceiling(elements);
            return first != null && first.startsWith(elements);
        }
    }

    /** The JSON Pointer of the object that this reads. Empty for the body. */
    public String path() {
        return path;
    }

    /** Whether the field is present, also with a wrong value, but not null. */
    public boolean has(String field) {
        return !(members.getOrDefault(field, NULL) instanceof JsonValue.Null);
    }

    /** The text of a field without any check, for work that must be done before the field is read. */
    public Optional<String> uncheckedText(String field) {
        return members.get(field) instanceof JsonValue.Text(var text) ? Optional.of(text) : Optional.empty();
    }

    /**
     * A list of at least one object. {@link #verify} also checks the fields of the objects. Empty if the list is wrong.
     */
    public List<BodyReader> requiredObjects(String field, int maxObjects) {
        return readers(field, required(field, FieldValues.objects(maxObjects), List.of()));
    }

    /** An object. {@link #verify} also checks its fields. */
    public BodyReader requiredObject(String field) {
        var object = required(field, FieldValues::object, new JsonValue.Object(Map.of()));
        var reader = new BodyReader(object.members(), pointer(field), errors);
        nested.add(reader);
        return reader;
    }

    /** Accepts fields and ignores their values. */
    public void ignore(String... fields) {
        known.addAll(Arrays.asList(fields));
    }

    /** An id that another system or organisation gave, with the rules of {@code external_id}. */
    public String requiredKey(String field) {
        return required(field, FieldValues::externalId, "");
    }

    public @Nullable String optionalKey(String field) {
        return optional(field, FieldValues::externalId);
    }

    public FieldChange<String> clearableKey(String field) {
        return clearable(field, FieldValues::externalId);
    }

    /** Like {@link #requiredObjects}. Empty also if the field is absent. */
    public List<BodyReader> optionalObjects(String field, int maxObjects) {
        var items = optional(field, FieldValues.objects(maxObjects));
        return items == null ? List.of() : readers(field, items);
    }

    /** Like {@link #optionalObjects}, but the list may be empty. */
    public List<BodyReader> anyObjects(String field, int maxObjects) {
        var items = optional(field, FieldValues.objects(0, maxObjects));
        return items == null ? List.of() : readers(field, items);
    }

    private List<BodyReader> readers(String field, List<JsonValue.Object> items) {
        var readers = new ArrayList<BodyReader>();
        for (int i = 0; i < items.size(); i++) {
            readers.add(new BodyReader(items.get(i).members(), pointer(field) + '/' + i, errors));
        }
        nested.addAll(readers);
        return readers;
    }

    /** A required title or name, see {@link Text#MAX_TITLE_CODE_POINTS}. */
    public String requiredTitle(String field) {
        return required(field, FieldValues::title, "");
    }

    public FieldChange<String> changedTitle(String field) {
        return changed(field, FieldValues::title);
    }

    /** An optional description or note, see {@link Text#MAX_NOTE_CODE_POINTS}. */
    public @Nullable String optionalNote(String field) {
        return optional(field, FieldValues::note);
    }

    public FieldChange<String> clearableNote(String field) {
        return clearable(field, FieldValues::note);
    }

    public BigDecimal requiredDecimal(String field) {
        return required(field, FieldValues::decimal, BigDecimal.ZERO);
    }

    public @Nullable BigDecimal optionalDecimal(String field) {
        return optional(field, FieldValues::decimal);
    }

    /** A number from 0 to a maximum. */
    public @Nullable BigDecimal optionalDecimal(String field, BigDecimal max, int maxDecimals) {
        return optional(field, FieldValues.decimal(max, maxDecimals));
    }

    public FieldChange<BigDecimal> changedDecimal(String field) {
        return changed(field, FieldValues::decimal);
    }

    /** A number from 0 to a maximum. */
    public FieldChange<BigDecimal> changedDecimal(String field, BigDecimal max, int maxDecimals) {
        return changed(field, FieldValues.decimal(max, maxDecimals));
    }

    /** A number from 0 to a maximum. */
    public FieldChange<BigDecimal> clearableDecimal(String field, BigDecimal max, int maxDecimals) {
        return clearable(field, FieldValues.decimal(max, maxDecimals));
    }

    public Instant requiredTimestamp(String field) {
        return required(field, FieldValues::timestamp, Instant.EPOCH);
    }

    public @Nullable Instant optionalTimestamp(String field) {
        return optional(field, FieldValues::timestamp);
    }

    public FieldChange<Instant> changedTimestamp(String field) {
        return changed(field, FieldValues::timestamp);
    }

    public @Nullable Integer optionalInteger(String field, int min, int max) {
        return optional(field, FieldValues.integer(min, max));
    }

    public FieldChange<Integer> clearableInteger(String field, int min, int max) {
        return clearable(field, FieldValues.integer(min, max));
    }

    /** The id of the resource in another system, see {@link Text#MAX_EXTERNAL_ID_CHARACTERS}. */
    public @Nullable String optionalExternalId() {
        return optional(EXTERNAL_ID, FieldValues::externalId);
    }

    public FieldChange<String> clearableExternalId() {
        return clearable(EXTERNAL_ID, FieldValues::externalId);
    }

    public FieldChange<Boolean> changedBoolean(String field) {
        return changed(field, FieldValues::bool);
    }

    /** Reads an enum constant from its lower-case name. */
    public <E extends Enum<E>> E requiredConstant(String field, Class<E> type) {
        return required(field, FieldValues.constant(type), type.getEnumConstants()[0]);
    }

    public <E extends Enum<E>> @Nullable E optionalConstant(String field, Class<E> type) {
        return optional(field, FieldValues.constant(type));
    }

    public <E extends Enum<E>> FieldChange<E> changedConstant(String field, Class<E> type) {
        return changed(field, FieldValues.constant(type));
    }

    /** @param exists whether the organisation has a resource with the id */
    public UUID requiredReference(String field, IdKind kind, Predicate<UUID> exists) {
        return required(field, FieldValues.reference(kind, exists), NO_ID);
    }

    public @Nullable UUID optionalReference(String field, IdKind kind, Predicate<UUID> exists) {
        return optional(field, FieldValues.reference(kind, exists));
    }

    public FieldChange<UUID> changedReference(String field, IdKind kind, Predicate<UUID> exists) {
        return changed(field, FieldValues.reference(kind, exists));
    }

    public FieldChange<UUID> clearableReference(String field, IdKind kind, Predicate<UUID> exists) {
        return clearable(field, FieldValues.reference(kind, exists));
    }

    /**
     * A list of at least one id, without duplicates.
     *
     * @param known returns the given ids that the list may contain
     */
    public @Nullable List<UUID> optionalReferences(
            String field, IdKind kind, UnaryOperator<Set<UUID>> known, int maxItems) {
        return optional(field, FieldValues.references(kind, known, maxItems));
    }

    /** A text that is not trimmed. {@code check} returns its error, if any. */
    public String requiredText(String field, Function<String, Optional<FieldError>> check) {
        return required(field, FieldValues.text(check), "");
    }

    public @Nullable String optionalText(String field, Function<String, Optional<FieldError>> check) {
        return optional(field, FieldValues.text(check));
    }

    public FieldChange<String> changedText(String field, Function<String, Optional<FieldError>> check) {
        return changed(field, FieldValues.text(check));
    }

    /** A list of at least one of the choices, without duplicates. */
    public List<String> requiredChoices(String field, Set<String> choices) {
        return required(field, FieldValues.choices(choices, MAX_ERRORS), List.of());
    }

    public FieldChange<List<String>> changedChoices(String field, Set<String> choices) {
        return changed(field, FieldValues.choices(choices, MAX_ERRORS));
    }

    /** Reports a broken rule of the domain, unless the field has an error already. */
    public void reject(String field, String code, String detail) {
        if (isSound(field) && !errors.isBelow(pointer(field))) {
            addError(field, "", code, detail);
        }
    }

    /** Whether none of the fields has an error, so that a rule that combines them can be checked. */
    public boolean isSound(String... fields) {
        return Arrays.stream(fields).map(this::pointer).noneMatch(errors::isAt);
    }

    /**
     * Ends the reading. A field that was not read is an unknown field.
     *
     * @throws Failure with all errors, if there are any
     */
    public void verify() {
        refuseUnknown();
        if (!errors.all.isEmpty()) {
            throw Failure.validation(errors.all);
        }
    }

    private void refuseUnknown() {
        members.keySet().stream()
                .filter(field -> !known.contains(field))
                .takeWhile(field -> errors.unknown < MAX_ERRORS)
                .forEach(field -> {
                    errors.unknown++;
                    addError(field, "", "unknown_field", "This operation has no such field.");
                });
        nested.forEach(BodyReader::refuseUnknown);
    }

    private <T> T required(String field, Function<JsonValue, T> type, T placeholder) {
        known.add(field);
        var value = members.get(field);
        if (value == null) {
            addError(field, "", "required", "This field is required.");
            return placeholder;
        }
        return isNotNull(field, value) ? read(field, value, type).orElse(placeholder) : placeholder;
    }

    /** Reads an optional field of a POST, in which {@code null} counts as absent. */
    private <T> @Nullable T optional(String field, Function<JsonValue, T> type) {
        known.add(field);
        var value = members.getOrDefault(field, NULL);
        return value instanceof JsonValue.Null ? null : read(field, value, type).orElse(null);
    }

    /** Reads a field that a PUT can omit but not clear. */
    private <T> FieldChange<T> changed(String field, Function<JsonValue, T> type) {
        known.add(field);
        var value = members.get(field);
        return value == null || !isNotNull(field, value) ? new FieldChange.Unchanged<>() : set(field, value, type);
    }

    /** Reads a field that a PUT can omit or clear. */
    private <T> FieldChange<T> clearable(String field, Function<JsonValue, T> type) {
        known.add(field);
        return switch (members.get(field)) {
            case null -> new FieldChange.Unchanged<>();
            case JsonValue.Null cleared -> new FieldChange.Cleared<>();
            case JsonValue value -> set(field, value, type);
        };
    }

    private <T> FieldChange<T> set(String field, JsonValue value, Function<JsonValue, T> type) {
        return read(field, value, type)
                .<FieldChange<T>>map(FieldChange.Set::new)
                .orElseGet(FieldChange.Unchanged::new);
    }

    private boolean isNotNull(String field, JsonValue value) {
        if (value instanceof JsonValue.Null) {
            addError(field, "", "not_nullable", "This field cannot be null.");
            return false;
        }
        return true;
    }

    private <T> Optional<T> read(String field, JsonValue value, Function<JsonValue, T> type) {
        try {
            return Optional.of(type.apply(value));
        } catch (FieldValues.Wrong wrong) {
            wrong.errors().forEach(error -> addError(field, error.pointer(), error.code(), error.detail()));
            return Optional.empty();
        }
    }

    /** @param element the JSON Pointer within the field */
    private void addError(String field, String element, String code, String detail) {
        errors.add(pointer(field) + element, code, detail);
    }

    /** The JSON Pointer of a field of the body (RFC 6901, section 3). */
    private String pointer(String field) {
        return path + '/' + Text.printable(field).replace("~", "~0").replace("/", "~1");
    }
}
