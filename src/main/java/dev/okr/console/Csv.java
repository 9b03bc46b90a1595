package dev.okr.console;

import java.io.IOException;
import java.io.Writer;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Writes comma-separated values (RFC 4180). A spreadsheet would run a cell that starts like a formula. So a formula gets
 * an apostrophe at its start, which makes it text. Some spreadsheets also split a field at a semicolon, a tab or a line
 * break, even if it is quoted.
 */
public final class Csv {
    public static final String MEDIA_TYPE = "text/csv;charset=UTF-8;header=present";

    /**
     * Spreadsheets can ignore spaces, quotes and invisible characters at the start of a cell. Some combining marks are
     * invisible too. The last four are letters that are invisible.
     */
    private static final String START_OF_CELL =
            "((?:^|[;\t\r\n])[\\s\\p{Z}\\p{C}\\p{M}\"\\u115F\\u1160\\u3164\\uFFA0&&[^;\t\r\n]]*+)";

    /** The last four are the full-width forms, which some spreadsheets accept. */
    private static final String START_OF_FORMULA = "(?=[=+\\-@＝＋－＠])";

    private static final Pattern UNGUARDED = Pattern.compile(START_OF_CELL + START_OF_FORMULA);
    private static final Pattern GUARDED = Pattern.compile(START_OF_CELL + "'" + START_OF_FORMULA);
    private static final String SPECIAL = ",;\t\"\r\n";

    private final Writer writer;

    public Csv(Writer writer) {
        this.writer = writer;
    }

    public void line(List<String> fields) throws IOException {
        for (int i = 0; i < fields.size(); i++) {
            if (i > 0) {
                writer.write(',');
            }
            field(fields.get(i));
        }
        writer.write("\r\n");
    }

    private void field(String text) throws IOException {
        var guarded = UNGUARDED.matcher(text).replaceAll("$1'");
        if (!guarded.equals(text) || text.chars().anyMatch(character -> SPECIAL.indexOf(character) >= 0)) {
            writer.write('"');
            writer.write(guarded.replace("\"", "\"\""));
            writer.write('"');
        } else {
            writer.write(text);
        }
    }

    /** The text of a field without the apostrophes that exports put before formulas. */
    public static String withoutGuards(String field) {
        return GUARDED.matcher(field).replaceAll("$1");
    }
}
