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
        assertThat(Text.hasSecret(API_KEY)).isTrue();
        assertThat(Text.hasSecret("okr_1")).isFalse();
    }

    @Test
    void percent_encoded_api_keys_are_masked() {
        assertThat(Text.printable("/v1/" + API_KEY.replace("_", "%5f") + "/x")).isEqualTo("/v1/okr%5f***/x");
        var encoded = "%6F%6B%72%5F" + "%61%31B".repeat(16) + "c";
        assertThat(Text.printable("/v1/" + encoded + "%2F" + encoded))
                .isEqualTo("/v1/%6F%6B%72%5F***%2F%6F%6B%72%5F***");
        assertThat(Text.printable("/v1/%zz/" + API_KEY)).isEqualTo("/v1/%zz/okr_***");
        assertThat(Text.printable("okr_" + "%61".repeat(100_000))).isEqualTo("okr_***");
    }

    @Test
    void webhook_secrets_are_masked() {
        var secret = "whsec_" + "aB/+".repeat(10) + "aB0=";
        assertThat(Text.printable("/v1/" + secret)).isEqualTo("/v1/whsec_***");
        assertThat(Text.printable("/v1/" + secret + "/" + secret)).isEqualTo("/v1/whsec_***");
        assertThat(Text.printable(
                        "/v1/" + secret.replace("/", "%2F").replace("+", "%2b").replace("_", "%5F")))
                .isEqualTo("/v1/whsec%5F***");
        assertThat(Text.printable("/v1/whsec_short")).isEqualTo("/v1/whsec_short");
        assertThat(Text.hasSecret(secret)).isTrue();
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
