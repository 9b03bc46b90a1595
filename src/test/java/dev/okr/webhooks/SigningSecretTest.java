package dev.okr.webhooks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.platform.errors.FieldError;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SigningSecretTest {

    @Test
    void a_generated_secret_is_32_random_bytes_in_the_format_of_standard_webhooks() {
        var secret = SigningSecret.generate();
        assertThat(secret.key()).hasSize(32);
        assertThat(secret.text())
                .isEqualTo("whsec_" + Base64.getEncoder().encodeToString(secret.key()))
                .isNotEqualTo(SigningSecret.generate().text());
        assertThat(SigningSecret.check(secret.text())).isEmpty();
        assertThat(SigningSecret.of(secret.text()).key()).isEqualTo(secret.key());
    }

    @ParameterizedTest
    @ValueSource(ints = {24, 25, 26, 32, 63, 64})
    void a_prefixed_secret_of_24_to_64_bytes_is_valid(int bytes) {
        var secret = prefixed(bytes);
        assertThat(SigningSecret.check(secret)).isEmpty();
        assertThat(SigningSecret.of(secret).key()).hasSize(bytes);
        assertThat(SigningSecret.of(secret).text()).isEqualTo(secret);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 23, 65, 96})
    void a_prefixed_secret_of_another_length_is_invalid(int bytes) {
        assertThat(SigningSecret.check(prefixed(bytes)))
                .get()
                .extracting(FieldError::pointer, FieldError::code)
                .containsExactly("/secret", "invalid_format");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "whsec_",
                "whsec_this is not base64 at all, is it?",
                "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", // 32 bytes without padding
                "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAB=", // bits after the last byte
                "whsec_-_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", // the base64url alphabet
                "whsec_AAAAAAAAAAAAAAAA\nAAAAAAAAAAAAAAAA",
                " whsec_",
            })
    void a_prefixed_secret_with_bad_base64_is_invalid(String secret) {
        assertThat(SigningSecret.check(secret)).isPresent();
    }

    @Test
    void a_secret_without_the_prefix_is_its_own_key() {
        assertThat(SigningSecret.of("correct horse bätterie").key())
                .isEqualTo("correct horse bätterie".getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void the_prefix_is_case_sensitive() {
        assertThat(SigningSecret.of("WHSEC_not really base64").key())
                .isEqualTo("WHSEC_not really base64".getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void a_secret_without_the_prefix_has_16_to_128_characters() {
        assertThat(SigningSecret.check("x".repeat(15))).isPresent();
        assertThat(SigningSecret.check("x".repeat(16))).isEmpty();
        assertThat(SigningSecret.check("x".repeat(128))).isEmpty();
        assertThat(SigningSecret.check("x".repeat(129))).isPresent();
        assertThat(SigningSecret.check("🔑".repeat(15))).isPresent();
        assertThat(SigningSecret.check("🔑".repeat(128))).isEmpty();
        assertThat(SigningSecret.check("🔑".repeat(129))).isPresent();
    }

    @ParameterizedTest
    @ValueSource(strings = {"\n", "\t", "\0", "\u007F", "\u0085", "\uD800", "\uDC00"})
    void control_characters_and_lone_surrogates_are_invalid(String character) {
        assertThat(SigningSecret.check("0123456789abcdef" + character)).isPresent();
    }

    @Test
    void a_secret_is_not_logged() {
        var secret = SigningSecret.generate();
        assertThat(secret).asString().doesNotContain(secret.text().substring(6));
    }

    private static String prefixed(int bytes) {
        return "whsec_" + Base64.getEncoder().encodeToString(new byte[bytes]);
    }
}
