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

    @ParameterizedTest
    @ValueSource(strings = {"=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "  =1", "＝1", "＋1", "－1", "＠A"})
    void a_field_that_starts_like_a_formula_is_text(String field) throws IOException {
        assertThat(line(field)).isEqualTo("\"'" + field + "\"\r\n");
    }

    private static String line(String... fields) throws IOException {
        var text = new StringWriter();
        new Csv(text).line(List.of(fields));
        return text.toString();
    }
}
