package dev.okr.platform.encryption;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SecretBoxTest {
    private static final String FIRST = key(1);
    private static final String SECOND = key(2);
    private static final byte[] SECRET = "a secret of a caller".getBytes(StandardCharsets.UTF_8);
    private static final String CONTEXT = "webhook_secret/one/two";

    private final SecretBox box = box(FIRST);

    @Test
    void a_secret_decrypts() {
        assertThat(box.decrypt(box.encrypt(SECRET, CONTEXT), CONTEXT)).isEqualTo(SECRET);
    }

    @Test
    void an_encrypted_secret_is_a_nonce_a_ciphertext_and_a_tag() {
        assertThat(box.encrypt(SECRET, CONTEXT).bytes()).hasSize(12 + SECRET.length + 16);
    }

    @Test
    void the_same_secret_is_encrypted_differently_each_time() {
        assertThat(box.encrypt(SECRET, CONTEXT).bytes())
                .isNotEqualTo(box.encrypt(SECRET, CONTEXT).bytes());
    }

    @Test
    void the_key_id_is_the_start_of_the_hash_of_the_key() {
        // printf '\001%.0s' {1..32} | sha256sum
        assertThat(box.encrypt(SECRET, CONTEXT).keyId()).isEqualTo("72cd6e84");
    }

    @Test
    void a_secret_does_not_decrypt_in_another_context() {
        var encrypted = box.encrypt(SECRET, CONTEXT);
        assertThatThrownBy(() -> box.decrypt(encrypted, "webhook_secret/one/three"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("changed or moved");
    }

    @Test
    void a_secret_with_a_changed_bit_does_not_decrypt() {
        var encrypted = box.encrypt(SECRET, CONTEXT);
        for (int i = 0; i < encrypted.bytes().length; i++) {
            var bytes = encrypted.bytes();
            bytes[i] ^= 1;
            var changed = new EncryptedSecret(encrypted.keyId(), bytes);
            assertThatThrownBy(() -> box.decrypt(changed, CONTEXT)).isInstanceOf(IllegalStateException.class);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 11, 12, 27})
    void a_truncated_secret_does_not_decrypt(int length) {
        var encrypted = box.encrypt(SECRET, CONTEXT);
        var cut = new EncryptedSecret(encrypted.keyId(), Arrays.copyOf(encrypted.bytes(), length));
        assertThatThrownBy(() -> box.decrypt(cut, CONTEXT)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void a_previous_key_decrypts_but_does_not_encrypt() {
        var encrypted = box.encrypt(SECRET, CONTEXT);
        var rotated = box(SECOND, FIRST);
        assertThat(rotated.decrypt(encrypted, CONTEXT)).isEqualTo(SECRET);
        assertThat(rotated.encrypt(SECRET, CONTEXT).keyId()).isNotEqualTo(encrypted.keyId());
    }

    @Test
    void a_secret_whose_key_is_not_configured_does_not_decrypt_and_the_error_names_the_key() {
        var encrypted = box.encrypt(SECRET, CONTEXT);
        assertThatThrownBy(() -> box(SECOND).decrypt(encrypted, CONTEXT))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("72cd6e84")
                .hasMessageContaining(SecretBox.PREVIOUS_KEYS);
    }

    @Test
    void without_a_key_encryption_fails_and_names_the_setting() {
        var keyless = new SecretBox(Optional.empty(), Optional.empty());
        assertThatThrownBy(() -> keyless.encrypt(SECRET, CONTEXT))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("OKR_ENCRYPTION_KEY");
    }

    @Test
    void the_previous_keys_may_contain_the_current_key_and_blanks() {
        var lenient = box(FIRST, " ", FIRST, ' ' + SECOND + ' ');
        assertThat(lenient.decrypt(box.encrypt(SECRET, CONTEXT), CONTEXT)).isEqualTo(SECRET);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"not base64 at all!", "c2hvcnQ=", "AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEB", "changeit"})
    void the_error_for_a_malformed_key_does_not_quote_it(String key) {
        assertThatThrownBy(() -> box(key))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith(SecretBox.KEY + " must be")
                .hasNoCause()
                .message()
                .doesNotContain(key);
        assertThatThrownBy(() -> box(FIRST, key))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith(SecretBox.PREVIOUS_KEYS);
    }

    private static SecretBox box(String key, String... previous) {
        return new SecretBox(Optional.of(key), Optional.of(List.of(previous)));
    }

    private static String key(int fill) {
        var bytes = new byte[32];
        Arrays.fill(bytes, (byte) fill);
        return Base64.getEncoder().encodeToString(bytes);
    }
}
