package dev.okr.access;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HexFormat;
import java.util.Locale;
import java.util.Random;
import java.util.function.IntSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TokenTest {
    @Test
    void a_token_is_43_characters_of_base62_and_their_checksum() {
        // Calculated with another program: the CRC-32 of 43 zeros is 0x7849568F, which is 2CZclj in base62.
        assertThat(Token.generate(() -> 0)).isEqualTo("okr_" + "0".repeat(43) + "2CZclj");
    }

    @Test
    void the_checksum_is_padded_on_the_left() {
        var random = new Random(7);
        IntSupplier digits = () -> random.nextInt(62);
        for (int i = 0; i < 1_000; i++) {
            var token = Token.generate(digits);
            assertThat(token).matches("okr_[0-9A-Za-z]{49}");
            assertThat(Token.isWellFormed(token)).isTrue();
        }
    }

    @Test
    void every_typo_of_one_character_is_detected() {
        var random = new Random(1);
        var token = Token.generate(() -> random.nextInt(62));
        for (int i = "okr_".length(); i < token.length(); i++) {
            var slip = new StringBuilder(token);
            slip.setCharAt(i, token.charAt(i) == 'x' ? 'y' : 'x');
            assertThat(Token.isWellFormed(slip.toString())).as(slip.toString()).isFalse();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "okr_", "okr_x", "key_00000000000000000000000000000000000000000000000000"})
    void other_text_is_not_a_token(String text) {
        assertThat(Token.isWellFormed(text)).isFalse();
    }

    @Test
    void the_format_of_a_token_is_exact() {
        var token = Token.generate(() -> 61);
        assertThat(Token.isWellFormed(token + '0')).isFalse();
        assertThat(Token.isWellFormed(' ' + token)).isFalse();
        assertThat(Token.isWellFormed(token.toUpperCase(Locale.ROOT))).isFalse();
        assertThat(Token.isWellFormed(token.substring(0, token.length() - 1))).isFalse();
        assertThat(Token.isWellFormed(token.replace('z', '-'))).isFalse();
    }

    @Test
    void what_is_stored_is_the_sha_256_of_the_text() {
        assertThat(HexFormat.of().formatHex(Token.hash("abc")))
                .isEqualTo("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }
}
