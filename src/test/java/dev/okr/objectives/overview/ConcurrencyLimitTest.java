package dev.okr.objectives.overview;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ConcurrencyLimitTest {
    @Test
    void no_more_threads_than_the_limit_get_a_permit() {
        var turns = new ConcurrencyLimit(2, Duration.ofMillis(10));
        assertThat(turns.begin()).isTrue();
        assertThat(turns.begin()).isTrue();
        assertThat(turns.begin()).isFalse();
        turns.end();
        assertThat(turns.begin()).isTrue();
    }

    @Test
    void a_waiting_thread_gets_the_permit_that_is_released() throws Exception {
        var turns = new ConcurrencyLimit(1, Duration.ofSeconds(30));
        turns.begin();
        var waiting = CompletableFuture.supplyAsync(turns::begin);
        turns.end();
        assertThat(waiting.get(30, TimeUnit.SECONDS)).isTrue();
    }
}
