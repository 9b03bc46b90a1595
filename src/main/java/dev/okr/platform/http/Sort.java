package dev.okr.platform.http;

import java.util.Arrays;
import java.util.Optional;

/** The order of a list: by one column, and by id in the same direction. */
public record Sort(Column column, boolean descending) {
    /** The order of most lists. */
    public static final Sort NEWEST = new Sort(Column.CREATED_AT, true);

    /** The order of check-ins. */
    public static final Sort LAST_RECORDED = new Sort(Column.RECORDED_AT, true);

    /** The order of deleted resources. */
    static final Sort LAST_DELETED = new Sort(Column.DELETED_AT, true);

    private static final String DESCENDING = "-";

    /** A column of a list that can be sorted, in lower case. */
    public enum Column {
        CREATED_AT,
        UPDATED_AT,
        RECORDED_AT,
        DELETED_AT,
        TITLE,
        PROGRESS
    }

    /** Parses the query parameter {@code sort}: a column, after a hyphen for the descending order. */
    public static Optional<Sort> parse(String text, Column... columns) {
        boolean descending = text.startsWith(DESCENDING);
        return EnumNames.parse(Column.class, descending ? text.substring(1) : text)
                .filter(Arrays.asList(columns)::contains)
                .map(column -> new Sort(column, descending));
    }

    /** The name of the column in the API and the database. */
    public String name() {
        return EnumNames.format(column);
    }

    /** Whether a list has this order without the parameter {@code sort}. */
    boolean isDefault() {
        return equals(NEWEST) || equals(LAST_RECORDED) || equals(LAST_DELETED);
    }

    /** The value of the query parameter {@code sort}. */
    @Override
    public String toString() {
        return (descending ? DESCENDING : "") + name();
    }
}
