package dev.okr.platform.http;

import dev.okr.platform.errors.Failure;
import dev.okr.platform.errors.FieldError;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The errors found so far in a request body. */
final class BodyErrors {
    /** A body can have a million wrong fields. */
    private static final int MAX_ERRORS = 100;

    private final List<FieldError> errors = new ArrayList<>();

    /** The JSON Pointer of a field of the body (RFC 6901, section 3). */
    static String pointer(String field) {
        return '/' + Text.printable(field).replace("~", "~0").replace("/", "~1");
    }

    /** Adds an error. Returns the value that a field with an error has. */
    <T> Optional<T> add(FieldError error) {
        errors.add(error);
        return Optional.empty();
    }

    <T> Optional<T> add(String field, String code, String detail) {
        return add(new FieldError(pointer(field), code, detail));
    }

    <T> Optional<T> addWrongType(String field, String expected) {
        return add(field, "invalid_type", "This field must be " + expected + '.');
    }

    int count() {
        return errors.size();
    }

    boolean isFull() {
        return errors.size() >= MAX_ERRORS;
    }

    boolean has(String field) {
        var pointer = pointer(field);
        return errors.stream().anyMatch(error -> error.pointer().equals(pointer));
    }

    /** Whether the field or an element in it has an error. */
    boolean hasWithin(String field) {
        var elements = pointer(field) + '/';
        return has(field) || errors.stream().anyMatch(error -> error.pointer().startsWith(elements));
    }

    void throwIfAny() {
        if (!errors.isEmpty()) {
            throw Failure.validation(errors);
        }
    }
}
