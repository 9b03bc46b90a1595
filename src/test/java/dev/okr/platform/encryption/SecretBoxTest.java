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
    void a_sealed_secret_opens_again() {
        assertThat(box.open(box.seal(SECRET, CONTEXT), CONTEXT)).isEqualTo(SECRET);
    }

    @Test
    void a_sealed_secret_is_a_nonce_a_ciphertext_and_a_tag() {
        assertThat(box.seal(SECRET, CONTEXT).bytes()).hasSize(12 + SECRET.length + 16);
    }

    @Test
    void the_same_secret_is_sealed_differently_each_time() {
        assertThat(box.seal(SECRET, CONTEXT).bytes())
                .isNotEqualTo(box.seal(SECRET, CONTEXT).bytes());
    }

    @Test
    void the_key_id_is_the_beginning_of_the_hash_of_the_key() {
        // printf '\001%.0s' {1..32} | sha256sum
        assertThat(box.seal(SECRET, CONTEXT).keyId()).isEqualTo("72cd6e84");
    }

    @Test
    void a_secret_does_not_open_in_another_context() {
        var sealed = box.seal(SECRET, CONTEXT);
        assertThatThrownBy(() -> box.open(sealed, "webhook_secret/one/three"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("changed or moved");
    }

    @Test
    void a_changed_bit_anywhere_is_noticed() {
        var sealed = box.seal(SECRET, CONTEXT);
        for (int i = 0; i < sealed.bytes().length; i++) {
            var bytes = sealed.bytes();
            bytes[i] ^= 1;
            var changed = new EncryptedSecret(sealed.keyId(), bytes);
            assertThatThrownBy(() -> box.open(changed, CONTEXT)).isInstanceOf(IllegalStateException.class);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 11, 12, 27})
    void a_secret_that_was_cut_short_is_noticed(int length) {
        var sealed = box.seal(SECRET, CONTEXT);
        var cut = new EncryptedSecret(sealed.keyId(), Arrays.copyOf(sealed.bytes(), length));
        assertThatThrownBy(() -> box.open(cut, CONTEXT)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void a_previous_key_still_opens_and_no_longer_seals() {
        var sealed = box.seal(SECRET, CONTEXT);
        var rotated = box(SECOND, FIRST);
        assertThat(rotated.open(sealed, CONTEXT)).isEqualTo(SECRET);
        assertThat(rotated.seal(SECRET, CONTEXT).keyId()).isNotEqualTo(sealed.keyId());
    }

    @Test
    void without_its_key_a_secret_does_not_open_and_the_key_is_named() {
        var sealed = box.seal(SECRET, CONTEXT);
        assertThatThrownBy(() -> box(SECOND).open(sealed, CONTEXT))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("72cd6e84")
                .hasMessageContaining(SecretBox.PREVIOUS_KEYS);
    }

    @Test
    void without_any_key_sealing_says_which_one_to_set() {
        var keyless = new SecretBox(Optional.empty(), Optional.empty());
        assertThatThrownBy(() -> keyless.seal(SECRET, CONTEXT))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("OKR_ENCRYPTION_KEY");
    }

    @Test
    void the_current_key_may_be_listed_among_the_previous_ones_and_blanks_count_for_nothing() {
        var lenient = box(FIRST, " ", FIRST, ' ' + SECOND + ' ');
        assertThat(lenient.open(box.seal(SECRET, CONTEXT), CONTEXT)).isEqualTo(SECRET);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"not base64 at all!", "c2hvcnQ=", "AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEB", "changeit"})
    void a_malformed_key_is_refused_without_being_quoted(String key) {
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
