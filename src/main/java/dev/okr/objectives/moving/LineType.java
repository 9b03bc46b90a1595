package dev.okr.objectives.moving;

import dev.okr.platform.http.EnumNames;
import java.util.Optional;

/** The types of lines, in the order in which an export has them and an import applies them. */
public enum LineType {
    USER(100_000),
    TEAM(20_000),
    CYCLE(20_000),
    OBJECTIVE(Integer.MAX_VALUE),
    KEY_RESULT(Integer.MAX_VALUE),
    CHECK_IN(Integer.MAX_VALUE),
    ALIGNMENT(200_000);

    /** The type of the first line. */
    public static final String HEADER = "okr_export";

    public static final int VERSION = 1;

    private final int maxLines;

    LineType(int maxLines) {
        this.maxLines = maxLines;
    }

    /** The largest number of lines of this type in a file. The import keeps the keys of all of them in memory. */
    public int maxLines() {
        return maxLines;
    }

    public String text() {
        return EnumNames.format(this);
    }

    public static Optional<LineType> parse(String text) {
        return EnumNames.parse(LineType.class, text);
    }
}
