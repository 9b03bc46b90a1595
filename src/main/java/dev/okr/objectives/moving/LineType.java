package dev.okr.objectives.moving;

import dev.okr.platform.http.EnumNames;
import java.util.Optional;

/** The types of lines, in the order in which an export has them and an import applies them. */
public enum LineType {
    USER,
    TEAM,
    CYCLE,
    OBJECTIVE,
    KEY_RESULT,
    CHECK_IN,
    ALIGNMENT;

    /** The type of the first line. */
    public static final String HEADER = "okr_export";

    public static final int VERSION = 1;

    public String text() {
        return EnumNames.format(this);
    }

    public static Optional<LineType> parse(String text) {
        return EnumNames.parse(LineType.class, text);
    }
}
