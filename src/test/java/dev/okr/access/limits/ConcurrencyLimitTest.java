package dev.okr.access.limits;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ConcurrencyLimitTest {
    private final UUID first = UUID.randomUUID();
    private final UUID second = UUID.randomUUID();
    private final UUID third = UUID.randomUUID();

    @Test
    void no_more_organisations_than_the_limit_get_a_permit() {
        var limit = new ConcurrencyLimit(2, Duration.ofMillis(10));
        assertThat(limit.begin(first)).isTrue();
        assertThat(limit.begin(second)).isTrue();
        assertThat(limit.begin(third)).isFalse();
        limit.end(first);
        assertThat(limit.begin(third)).isTrue();
    }

    @Test
    void an_organisation_has_one_permit_at_a_time() {
        var limit = new ConcurrencyLimit(2, Duration.ofMillis(10));
        assertThat(limit.begin(first)).isTrue();
        assertThat(limit.begin(first)).isFalse();
        assertThat(limit.begin(second)).isTrue();
    }

    @Test
    void a_waiting_thread_gets_the_permit_that_is_released() throws Exception {
        var limit = new ConcurrencyLimit(1, Duration.ofSeconds(30));
        limit.begin(first);
        var waiting = CompletableFuture.supplyAsync(() -> limit.begin(first));
        limit.end(first);
        assertThat(waiting.get(30, TimeUnit.SECONDS)).isTrue();
    }
}
