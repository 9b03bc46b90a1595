package dev.okr.webhooks.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class BackOffTest {
    private static final Instant NOW = Instant.EPOCH;

    private final UUID organization = UUID.randomUUID();
    private final BackOff backOff = new BackOff();

    @Test
    void the_time_doubles_with_each_failure_up_to_32_seconds() {
        for (int seconds : new int[] {1, 2, 4, 8, 16, 32, 32}) {
            backOff.failed(organization, NOW);
            assertThat(backOff.organizations(NOW.plusSeconds(seconds).minusNanos(1)))
                    .containsExactly(organization);
            assertThat(backOff.organizations(NOW.plusSeconds(seconds))).isEmpty();
        }
    }

    @Test
    void a_success_ends_it() {
        backOff.failed(organization, NOW);
        backOff.failed(organization, NOW);
        backOff.succeeded(organization);
        assertThat(backOff.organizations(NOW)).isEmpty();
        backOff.failed(organization, NOW);
        assertThat(backOff.organizations(NOW.plusSeconds(1))).isEmpty();
    }
}
