package dev.okr.operations.demo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.access.Token;
import java.util.Base64;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class DemoKeyTest {
    private static final int KEY_BYTES = 32;

    @Test
    void the_token_is_the_same_for_the_same_encryption_key() {
        assertThat(DemoKey.token(key(1))).isEqualTo(DemoKey.token(key(1) + "\n"));
    }

    @Test
    void another_encryption_key_results_in_another_token() {
        assertThat(IntStream.range(0, 100).mapToObj(i -> DemoKey.token(key(i))))
                .doesNotHaveDuplicates()
                .allMatch(Token::isWellFormed);
    }

    private static String key(int seed) {
        var bytes = new byte[KEY_BYTES];
        bytes[0] = (byte) seed;
        return Base64.getEncoder().encodeToString(bytes);
    }
}
