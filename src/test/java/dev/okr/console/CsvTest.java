package dev.okr.console;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.StringWriter;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CsvTest {
    @Test
    void fields_with_special_characters_are_quoted() throws IOException {
        assertThat(line("plain text", "", "a,b", "say \"hi\"", "two\nlines", "Zoë – 東"))
                .isEqualTo("plain text,,\"a,b\",\"say \"\"hi\"\"\",\"two\nlines\",Zoë – 東\r\n");
    }

    /** Some spreadsheets split a field at a semicolon, a tab or a line break, even if it is quoted. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "'=1+1",
                "'+1",
                "'-1",
                "'@SUM(A1)",
                "\t'=1",
                "\r'=1",
                "\n'=1",
                "  '=1",
                "'＝1",
                "'＋1",
                "'－1",
                "'＠A",
                "x;'=1",
                "x; '+1;'-1",
                "x;;\t'=1",
                "x\t'=1",
                "x\r\n'=1",
                "\u200B'=1",
                "\uFEFF'+1",
                "\u00AD \u2060'-1",
                "\u202E'@A",
                "\uDB40\uDC20'=1",
                "x;\u200B'=1",
            })
    void a_field_that_a_spreadsheet_could_run_is_text(String guarded) throws IOException {
        var field = guarded.replace("'", "");
        assertThat(line(field)).isEqualTo('"' + guarded + "\"\r\n");
        assertThat(Csv.withoutGuards(guarded)).isEqualTo(field);
    }

    @Test
    void a_formula_in_quotes_is_text() throws IOException {
        assertThat(line("x;\"=1\"")).isEqualTo("\"x;\"\"'=1\"\"\"\r\n");
    }

    @Test
    void a_field_that_a_spreadsheet_could_split_is_quoted() throws IOException {
        assertThat(line("a;b", "a\tb", "1 - 1")).isEqualTo("\"a;b\",\"a\tb\",1 - 1\r\n");
    }

    private static String line(String... fields) throws IOException {
        var text = new StringWriter();
        new Csv(text).line(List.of(fields));
        return text.toString();
    }
}
