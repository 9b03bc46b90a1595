package dev.okr.organizations.audit;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The fields that have changed, with their values before and after, for the detail of an audit entry. An example is
 * {@code role from viewer to member}.
 */
public final class Differences {
    private final List<String> texts = new ArrayList<>();

    /** The difference of one field. */
    public static String of(String field, @Nullable Object before, @Nullable Object after) {
        return field + " from " + text(before) + " to " + text(after);
    }

    /** The difference of a name or title, which is quoted. */
    public static String ofText(String field, String before, String after) {
        return of(field, quoted(before), quoted(after));
    }

    /** Adds a field, if it has changed. */
    public Differences add(String field, @Nullable Object before, @Nullable Object after) {
        return Objects.equals(before, after) ? this : add(of(field, before, after));
    }

    /** Adds a change whose values must not be in the log. */
    public Differences add(String text) {
        texts.add(text);
        return this;
    }

    /** All differences in one line. Null if there is none. */
    public @Nullable String text() {
        return texts.isEmpty() ? null : String.join("; ", texts);
    }

    private static String quoted(String text) {
        return '“' + text + '”';
    }

    private static String text(@Nullable Object value) {
        return switch (value) {
            case null -> "none";
            case Optional<?> optional -> text(optional.orElse(null));
            case Collection<?> values ->
                String.join(", ", values.stream().map(String::valueOf).toList());
            default -> value.toString();
        };
    }
}
