package dev.okr.platform.transactions;

import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Rows in the text format of COPY. */
final class CopyText {
    private static final String NULL = "\\N";
    private static final int CHARACTERS_PER_ROW = 256;

    private CopyText() {}

    static InputStream of(List<@Nullable Object[]> rows) {
        var text = new StringBuilder(rows.size() * CHARACTERS_PER_ROW);
        for (var row : rows) {
            for (int i = 0; i < row.length; i++) {
                if (i > 0) {
                    text.append('\t');
                }
                append(text, row[i]);
            }
            text.append('\n');
        }
        return new ByteArrayInputStream(text.toString().getBytes(StandardCharsets.UTF_8));
    }

    private static void append(StringBuilder text, @Nullable Object value) {
        switch (value) {
            case null -> text.append(NULL);
            case String string -> escape(text, string);
            case BigDecimal number -> text.append(number.toPlainString());
            // UUIDs, times, numbers and truth values.
            default -> text.append(value);
        }
    }

    private static void escape(StringBuilder text, String string) {
        for (int i = 0; i < string.length(); i++) {
            char character = string.charAt(i);
            switch (character) {
                case '\\' -> text.append("\\\\");
                case '\n' -> text.append("\\n");
                case '\r' -> text.append("\\r");
                case '\t' -> text.append("\\t");
                default -> text.append(character);
            }
        }
    }
}
