package dev.okr.console;

import java.io.IOException;
import java.io.Writer;
import java.util.List;

/**
 * Writes comma-separated values (RFC 4180). A spreadsheet would run a field that starts like a formula. So such a field
 * gets an apostrophe at its start, which spreadsheets show as text.
 */
public final class Csv {
    public static final String MEDIA_TYPE = "text/csv;charset=UTF-8;header=present";

    /** The last four are the full-width forms, which some spreadsheets accept. */
    private static final String STARTS_OF_FORMULAS = "=+-@\t\r\n＝＋－＠";

    private static final String SPECIAL = ",\"\r\n";

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
        boolean isFormula = isFormula(text);
        if (isFormula || text.chars().anyMatch(character -> SPECIAL.indexOf(character) >= 0)) {
            writer.write(isFormula ? "\"'" : "\"");
            writer.write(text.replace("\"", "\"\""));
            writer.write('"');
        } else {
            writer.write(text);
        }
    }

    /** Some spreadsheets ignore spaces at the start. */
    private static boolean isFormula(String text) {
        if (text.isEmpty()) {
            return false;
        }
        var stripped = text.stripLeading();
        return STARTS_OF_FORMULAS.indexOf(text.charAt(0)) >= 0
                || (!stripped.isEmpty() && STARTS_OF_FORMULAS.indexOf(stripped.charAt(0)) >= 0);
    }
}
