package dev.okr.webhooks;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class LargeHandshakesTest {
    private final LargeHandshakes handshakes = new LargeHandshakes();

    @Test
    void one_organisation_can_have_ten_that_have_not_succeeded() {
        assertThat(started(n -> "acme")).isBetween(10L, 12L);
        assertThat(handshakes.tryStart("globex")).isTrue();
    }

    @Test
    void all_organisations_together_can_have_twenty() {
        assertThat(started(n -> "organisation " + n)).isBetween(20L, 30L);
    }

    @Test
    void those_that_succeed_do_not_count() {
        for (int n = 0; n < 1_000; n++) {
            assertThat(handshakes.tryStart("acme")).isTrue();
            handshakes.succeeded("acme");
        }
    }

    private long started(IntFunction<String> organization) {
        return IntStream.range(0, 1_000)
                .filter(n -> handshakes.tryStart(organization.apply(n)))
                .count();
    }
}
