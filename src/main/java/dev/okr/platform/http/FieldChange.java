package dev.okr.platform.http;

import org.jspecify.annotations.Nullable;

/** The change that a PUT makes to one field. */
public sealed interface FieldChange<T> {
    /** The field is absent and keeps its value. */
    record Unchanged<T>() implements FieldChange<T> {}

    /** The field is {@code null} and loses its value. */
    record Cleared<T>() implements FieldChange<T> {}

    record Set<T>(T value) implements FieldChange<T> {}

    /** The value of an optional field after the change. */
    default @Nullable T applyTo(@Nullable T current) {
        return switch (this) {
            case Unchanged<T> unchanged -> current;
            case Cleared<T> cleared -> null;
            case Set<T>(var value) -> value;
        };
    }

    /** The value of a required field after the change. A required field is never cleared. */
    default T orElse(T current) {
        return this instanceof Set<T>(var value) ? value : current;
    }
}
