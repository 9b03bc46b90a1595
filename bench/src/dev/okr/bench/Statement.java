package dev.okr.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * A statement from the server's log.
 *
 * @param sql with {@code $1} for the first parameter
 * @param parameters the values; null for NULL
 * @param session the session that sent it
 */
record Statement(String sql, List<String> parameters, String session) {
    private static final Set<String> BEGINS = Set.of("begin", "start");
    private static final Set<String> WRITES = Set.of("insert", "update", "delete", "with");
    private static final Set<String> ENDS = Set.of("commit", "rollback", "end", "abort");

    /** Parses {@code execute name: SQL} or {@code statement: SQL}, and {@code parameters: $1 = 'value', $2 = NULL}. */
    static Statement read(String message, String detail, String session) {
        int colon = message.indexOf(": ");
        return new Statement(message.substring(colon + 2).strip(), values(detail), session);
    }

    boolean begins() {
        return BEGINS.contains(firstWord());
    }

    boolean ends() {
        return ENDS.contains(firstWord());
    }

    /** A query that starts with {@code WITH} may contain changes, so it counts as one. */
    boolean writes() {
        return WRITES.contains(firstWord());
    }

    private String firstWord() {
        return sql.split("[\\s;(]+", 2)[0].toLowerCase(Locale.ROOT);
    }

    private static List<String> values(String detail) {
        var values = new ArrayList<String>();
        int at = detail.indexOf("$1 = ");
        while (at >= 0) {
            int start = detail.indexOf(" = ", at) + 3;
            if (detail.charAt(start) != '\'') {
                values.add(null);
                at = detail.indexOf("$", start);
                continue;
            }
            var value = new StringBuilder();
            int i = start + 1;
            // Quotes inside a value are doubled.
            while (detail.charAt(i) != '\'' || (i + 1 < detail.length() && detail.charAt(i + 1) == '\'')) {
                value.append(detail.charAt(i));
                i += detail.charAt(i) == '\'' ? 2 : 1;
            }
            values.add(value.toString());
            at = detail.indexOf("$", i);
        }
        return values;
    }
}
