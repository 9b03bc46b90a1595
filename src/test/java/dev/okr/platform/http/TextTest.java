package dev.okr.platform.http;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TextTest {
    private static final String API_KEY = "okr_" + "a1B".repeat(16) + "c";

    @Test
    void api_keys_are_masked() {
        assertThat(Text.printable("/v1/" + API_KEY + "/x")).isEqualTo("/v1/okr_***/x");
        assertThat(Text.printable("/v1/okr_short/" + API_KEY + "/" + API_KEY))
                .isEqualTo("/v1/okr_short/okr_***/okr_***");
        assertThat(Text.printable("x".repeat(90) + API_KEY)).isEqualTo("x".repeat(90) + "okr_***");
        assertThat(Text.hasApiKey(API_KEY)).isTrue();
        assertThat(Text.hasApiKey("okr_1")).isFalse();
    }

    @Test
    void text_is_trimmed_and_its_line_breaks_are_line_feeds() {
        assertThat(Text.normalize(" \t\r\na\r\n\r\nb \n")).isEqualTo("a\n\nb");
        assertThat(Text.normalize("\u2003a\u3000")).isEqualTo("a");
        assertThat(Text.normalize("\r\n")).isEmpty();
        assertThat(Text.normalize("a\rb")).isEqualTo("a\rb");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "plain",
                "tab\tnewline\n",
                "Ça",
                "目標",
                "🎯👩‍👩‍👧",
                "\u202Eright to left",
                "\uFFFD",
                "\uFFFF"
            })
    void text_of_any_language_is_clean(String text) {
        assertThat(Text.isClean(text)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\u0000",
                "a\u0001",
                "\u001F",
                "\u007F",
                "\u0080",
                "\u009F",
                "a\rb",
                "\uD800",
                "\uDC00",
                "\uDC00\uD800",
                "a\uD83Cb"
            })
    void control_characters_and_lone_surrogates_are_not_clean(String text) {
        assertThat(Text.isClean(text)).isFalse();
    }

    @Test
    void printable_text_is_short_and_clean() {
        assertThat(Text.printable("a\u0000b\uD800c\u001B[31m")).isEqualTo("a\uFFFDb\uFFFDc\uFFFD[31m");
        assertThat(Text.printable("🎯".repeat(101))).isEqualTo("🎯".repeat(100));
    }
}
