package dev.okr.access.limits;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Collections;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ConcurrencyLimitTest {
    private static final int THREADS = 3;
    private static final int ATTEMPTS = 200_000;

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

    @Test
    void a_busy_organisation_gets_the_free_permit_after_some_time() throws Exception {
        var limit = new ConcurrencyLimit(2, Duration.ofSeconds(10));
        assertThat(limit.begin(first)).isTrue();
        assertThat(limit.begin(second)).isTrue();
        Thread.sleep(Duration.ofMillis(600));
        limit.end(second);
        // The load of the organisation falls while it waits. No permit is returned meanwhile.
        assertThat(limit.begin(second)).isTrue();
    }

    /** A permit can be granted at the moment in which it is given up. */
    @Test
    void permits_are_given_back_once() throws Exception {
        var limit = new ConcurrencyLimit(1, Duration.ofSeconds(1));
        Callable<Boolean> client = () -> {
            var organization = UUID.randomUUID();
            for (int i = 0; i < ATTEMPTS; i++) {
                if (limit.tryBegin(organization)) {
                    limit.end(organization);
                }
            }
            return true;
        };
        try (var threads = Executors.newFixedThreadPool(THREADS)) {
            for (var each : threads.invokeAll(Collections.nCopies(THREADS, client))) {
                each.get();
            }
        }
        assertThat(limit.tryBegin(first)).isTrue();
        assertThat(limit.tryBegin(second)).isFalse();
    }
}
