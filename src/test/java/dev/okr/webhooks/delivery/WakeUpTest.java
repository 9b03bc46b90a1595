package dev.okr.webhooks.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class WakeUpTest {
    private static final int MAX_WAIT_SECONDS = 5;

    private final WakeUp wakeUp = new WakeUp();

    /** Actions while a thread waits for a signal. */
    private interface Script {
        void run(Future<?> waiting) throws Exception;
    }

    private void requireWakeUp(Script script) throws Exception {
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var waiting = threads.submit((Callable<Boolean>) () -> {
                wakeUp.await();
                return true;
            });
            try {
                script.run(waiting);
                assertThat(waiting.get(MAX_WAIT_SECONDS, TimeUnit.SECONDS)).isTrue();
            } finally {
                waiting.cancel(true);
            }
        }
    }

    private static void requireStillWaiting(Future<?> waiting, Duration time) throws Exception {
        try {
            throw new AssertionError("woken by " + waiting.get(time.toMillis(), TimeUnit.MILLISECONDS) + " too early");
        } catch (TimeoutException expected) {
            // The thread is still waiting.
        }
    }

    @Test
    void a_signal_before_the_wait_ends_it() throws Exception {
        wakeUp.raise();
        requireWakeUp(waiting -> {});
    }

    @Test
    void signals_are_coalesced() throws Exception {
        for (int i = 0; i < 100; i++) {
            wakeUp.raise();
        }
        requireWakeUp(waiting -> {});
        requireWakeUp(waiting -> {
            requireStillWaiting(waiting, Duration.ofMillis(100));
            wakeUp.raise();
        });
    }

    @Test
    void a_commit_wakes_the_poller_for_its_organisations_once() throws Exception {
        var acme = UUID.randomUUID();
        var other = UUID.randomUUID();
        wakeUp.committed(Set.of(acme));
        wakeUp.committed(Set.of(acme, other));
        assertThat(wakeUp.await().committed()).containsExactlyInAnyOrder(acme, other);
        assertThat(wakeUp.take()).isEqualTo(new WakeUp.Signal(List.of(), false));
    }

    @Test
    void a_search_finds_the_commits_of_further_organisations() throws Exception {
        for (int i = 0; i < 20; i++) {
            wakeUp.committed(Set.of(UUID.randomUUID()));
        }
        assertThat(wakeUp.await().search()).isFalse();
        for (int i = 0; i < 21; i++) {
            wakeUp.committed(Set.of(UUID.randomUUID()));
        }
        var signal = wakeUp.await();
        assertThat(signal.committed()).hasSize(20);
        assertThat(signal.search()).isTrue();
    }

    @Test
    void commits_of_excluded_organisations_leave_room_for_others_and_raise_a_search() {
        var busy = Stream.generate(UUID::randomUUID).limit(20).collect(Collectors.toSet());
        var other = UUID.randomUUID();
        wakeUp.committed(busy);
        assertThat(wakeUp.takeCommitted(busy)).isEmpty();
        wakeUp.committed(Set.of(other));
        assertThat(wakeUp.takeCommitted(busy)).hasValue(other);
        assertThat(wakeUp.take()).isEqualTo(new WakeUp.Signal(List.of(), true));
    }

    @Test
    void commits_do_not_delay_the_search_for_a_due_retry() throws Exception {
        wakeUp.raiseAfter(Duration.ofSeconds(-1));
        wakeUp.committed(Set.of(UUID.randomUUID()));
        assertThat(wakeUp.await().search()).isTrue();
        wakeUp.committed(Set.of(UUID.randomUUID()));
        assertThat(wakeUp.await().search()).isFalse();
    }

    @Test
    void a_retry_wakes_the_poller_when_it_is_due() throws Exception {
        wakeUp.raiseAfter(Duration.ofMillis(300));
        requireWakeUp(waiting -> requireStillWaiting(waiting, Duration.ofMillis(150)));
    }

    @Test
    void an_earlier_retry_shortens_the_wait_and_a_later_one_does_not_lengthen_it() throws Exception {
        wakeUp.raiseAfter(Duration.ofSeconds(60));
        requireWakeUp(waiting -> {
            requireStillWaiting(waiting, Duration.ofMillis(50));
            wakeUp.raiseAfter(Duration.ofMillis(100));
            wakeUp.raiseAfter(Duration.ofSeconds(30));
        });
    }

    @Test
    void an_overdue_retry_wakes_the_poller_at_once() throws Exception {
        wakeUp.raiseAfter(Duration.ofSeconds(-1));
        requireWakeUp(waiting -> {});
    }
}
