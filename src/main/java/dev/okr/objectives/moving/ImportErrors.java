package dev.okr.objectives.moving;

import dev.okr.platform.errors.Failure;
import io.quarkus.runtime.annotations.RegisterForReflection;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;
import java.util.TreeSet;

/** The errors of an import. Only the first ones are kept, in the order of the lines. */
public final class ImportErrors {
    public static final int MAX_KEPT = 100;

    /** The line of an error that belongs to no line. */
    public static final int NO_LINE = 0;

    private final TreeSet<LineError> first = new TreeSet<>(Comparator.comparingInt(LineError::line)
            .thenComparing(LineError::pointer)
            .thenComparing(LineError::code));
    private final BitSet lines = new BitSet();

    /**
     * An error of a line.
     *
     * @param line the number of the line, from 1
     * @param pointer the JSON Pointer in the line; empty for the whole line
     */
    @RegisterForReflection
    public record LineError(int line, String pointer, String code, String reason) {}

    public void add(int line, String pointer, String code, String reason) {
        lines.set(line);
        first.add(new LineError(line, pointer, code, reason));
        if (first.size() > MAX_KEPT) {
            first.pollLast();
        }
    }

    /** Adds the failure of a rule, or all invalid fields of a line. */
    public void add(int line, String pointer, Failure failure) {
        if (failure.errors().isEmpty()) {
            add(line, pointer, failure.code().code(), failure.detail());
        }
        failure.errors().forEach(error -> add(line, error.pointer(), error.code(), error.detail()));
    }

    public boolean isEmpty() {
        return lines.isEmpty();
    }

    public boolean isRejected(int line) {
        return lines.get(line);
    }

    /** The number of lines with errors. */
    public int rejected() {
        return lines.cardinality();
    }

    public List<LineError> first() {
        return List.copyOf(first);
    }
}
