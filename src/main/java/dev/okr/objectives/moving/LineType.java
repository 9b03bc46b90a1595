package dev.okr.objectives.moving;

import dev.okr.platform.http.EnumNames;
import java.util.Optional;

/** The types of lines, in the order in which an export has them and an import applies them. */
public enum LineType {
    USER(100_000, Staging.BATCH),
    TEAM(20_000, Staging.BATCH),
    CYCLE(20_000, Staging.BATCH),
    /** An objective can have 34 KB of text, and a batch is in memory several times. */
    OBJECTIVE(Integer.MAX_VALUE, 100),
    KEY_RESULT(Integer.MAX_VALUE, Staging.BATCH),
    /** A check-in can have 16 KB of text. */
    CHECK_IN(Integer.MAX_VALUE, 250),
    ALIGNMENT(50_000, Staging.BATCH);

    /** The type of the first line. */
    public static final String HEADER = "okr_export";

    public static final int VERSION = 1;

    private final int maxLines;
    private final int batch;

    LineType(int maxLines, int batch) {
        this.maxLines = maxLines;
        this.batch = batch;
    }

    /** The largest number of lines of this type in a file. The import keeps hashes of their keys in memory. */
    public int maxLines() {
        return maxLines;
    }

    /** The number of resources of this type that an import reads or writes at once. */
    public int batch() {
        return batch;
    }

    public String text() {
        return EnumNames.format(this);
    }

    public static Optional<LineType> parse(String text) {
        return EnumNames.parse(LineType.class, text);
    }
}
