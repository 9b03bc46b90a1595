package dev.okr.operations.database;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EncryptionKeyCheckTest {
    private static final String KEY = Base64.getEncoder().encodeToString(new byte[32]);

    @Test
    void base64_of_32_bytes_is_a_key() {
        assertThat(EncryptionKeyCheck.problem(KEY, List.of())).isNull();
        assertThat(EncryptionKeyCheck.problem(KEY + "\n", List.of(KEY, "", KEY)))
                .isNull();
    }

    @Test
    void the_message_for_a_missing_key_says_what_to_set() {
        assertThat(EncryptionKeyCheck.problem("", List.of())).contains("OKR_ENCRYPTION_KEY", "openssl rand -base64 32");
    }

    @ParameterizedTest
    @ValueSource(strings = {"secret", "AAAA", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "%%%%"})
    void an_invalid_key_is_rejected_and_not_shown(String key) {
        assertThat(EncryptionKeyCheck.problem(key, List.of()))
                .startsWith("OKR_ENCRYPTION_KEY is not a key")
                .doesNotContain(key);
        assertThat(EncryptionKeyCheck.problem(KEY, List.of(KEY, key)))
                .startsWith("Key 2 of OKR_ENCRYPTION_KEYS_PREVIOUS is not a key")
                .doesNotContain(key);
    }
}
