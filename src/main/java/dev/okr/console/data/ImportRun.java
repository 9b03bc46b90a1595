package dev.okr.console.data;

import java.time.Instant;
import java.util.List;

/**
 * An import or a dry run, as pages show it.
 *
 * @param percent how much of the work is done
 * @param errors the first errors, in the order of the lines
 */
public record ImportRun(
        String id,
        State state,
        boolean dryRun,
        int percent,
        long lines,
        long created,
        long updated,
        long unchanged,
        long rejected,
        List<LineError> errors,
        Instant createdAt) {

    /** The state of an import. */
    public enum State {
        WAITING,
        RUNNING,
        SUCCEEDED,
        FAILED
    }

    /**
     * An error of a line.
     *
     * @param field the path of the field in the line; may be empty
     */
    public record LineError(long line, String field, String reason) {}

    public boolean isFinished() {
        return state == State.SUCCEEDED || state == State.FAILED;
    }

    public boolean isSucceeded() {
        return state == State.SUCCEEDED;
    }

    /** Whether the file of this dry run can be imported now. */
    public boolean isReady() {
        return dryRun && isSucceeded() && rejected == 0;
    }

    public String label() {
        return switch (state) {
            case WAITING -> "Waiting";
            case RUNNING -> dryRun ? "Checking" : "Importing";
            case SUCCEEDED -> dryRun ? "Checked" : "Imported";
            case FAILED -> "Failed";
        };
    }
}
