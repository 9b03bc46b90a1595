package dev.okr.webhooks;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ExcerptTest {
    private static String excerpt(String text) {
        var bytes = text.getBytes(StandardCharsets.UTF_8);
        return Excerpt.of(bytes, bytes.length);
    }

    @Test
    void a_short_text_is_kept_completely() {
        assertThat(excerpt("grüße\n\t😀")).isEqualTo("grüße\n\t😀");
        assertThat(excerpt("x".repeat(1_024))).hasSize(1_024);
        assertThat(excerpt("x".repeat(1_025))).hasSize(1_024);
    }

    @Test
    void an_empty_body_has_no_excerpt() {
        assertThat(excerpt("")).isNull();
        assertThat(Excerpt.of(new byte[16], 0)).isNull();
    }

    @ParameterizedTest
    @CsvSource({"1023, ü", "1022, €", "1023, €", "1021, 😀", "1022, 😀", "1023, 😀"})
    void a_character_that_the_limit_cuts_is_dropped(int before, String character) {
        assertThat(excerpt("x".repeat(before) + character)).isEqualTo("x".repeat(before));
    }

    @Test
    void malformed_bytes_are_replaced() {
        var bytes = new byte[] {'a', (byte) 0xFF, 'b', (byte) 0xC3, 'c', (byte) 0xE2, (byte) 0x82};
        assertThat(Excerpt.of(bytes, bytes.length)).isEqualTo("a\uFFFDb\uFFFDc\uFFFD");
        assertThat(Excerpt.of(bytes, 1)).isEqualTo("a");
    }

    @Test
    void control_characters_are_replaced() {
        assertThat(excerpt("a\0b\u001B[31m\r\n\u007F\u009F\t")).isEqualTo("a\uFFFDb\uFFFD[31m\uFFFD\n\uFFFD\uFFFD\t");
    }
}
