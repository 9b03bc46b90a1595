package dev.okr.webhooks.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.webhooks.delivery.Signal.Wakeup;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;

class SignalTest {
    private static final int MAX_WAIT_SECONDS = 5;

    private final Signal signal = new Signal();

    /** Actions while a thread waits for a signal. */
    private interface Script {
        void run(Future<Wakeup> waiting) throws Exception;
    }

    private Wakeup await() throws Exception {
        return waiting(waiting -> {});
    }

    private Wakeup waiting(Script script) throws Exception {
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var waiting = threads.submit(() -> signal.await(Instant.now()));
            try {
                script.run(waiting);
                return waiting.get(MAX_WAIT_SECONDS, TimeUnit.SECONDS);
            } finally {
                waiting.cancel(true);
            }
        }
    }

    private static void requireStillWaiting(Future<Wakeup> waiting, Duration time) throws Exception {
        try {
            throw new AssertionError("woken by " + waiting.get(time.toMillis(), TimeUnit.MILLISECONDS) + " too early");
        } catch (TimeoutException expected) {
            // The thread is still waiting.
        }
    }

    @Test
    void a_signal_before_the_wait_ends_it() throws Exception {
        signal.raiseEvents();
        assertThat(await()).isEqualTo(new Wakeup(true, false, false));
        signal.raiseCapacity();
        assertThat(await()).isEqualTo(new Wakeup(false, false, true));
        signal.raiseAll();
        assertThat(await()).isEqualTo(new Wakeup(true, true, true));
    }

    @Test
    void signals_are_coalesced_and_returned_once() throws Exception {
        for (int i = 0; i < 100; i++) {
            signal.raiseCapacity();
            signal.raiseEvents();
        }
        assertThat(await()).isEqualTo(new Wakeup(true, false, true));
        var wakeup = waiting(waiting -> {
            requireStillWaiting(waiting, Duration.ofMillis(100));
            signal.raiseCapacity();
        });
        assertThat(wakeup).isEqualTo(new Wakeup(false, false, true));
    }

    @Test
    void a_retry_wakes_the_dispatcher_when_it_is_due() throws Exception {
        signal.raiseDueAt(Instant.now().plusMillis(300));
        var wakeup = waiting(waiting -> requireStillWaiting(waiting, Duration.ofMillis(150)));
        assertThat(wakeup).isEqualTo(new Wakeup(false, true, false));
    }

    @Test
    void an_earlier_retry_shortens_the_wait_and_a_later_one_does_not_lengthen_it() throws Exception {
        signal.raiseDueAt(Instant.now().plusSeconds(60));
        var wakeup = waiting(waiting -> {
            requireStillWaiting(waiting, Duration.ofMillis(50));
            signal.raiseDueAt(Instant.now().plusMillis(100));
            signal.raiseDueAt(Instant.now().plusSeconds(30));
        });
        assertThat(wakeup.due()).isTrue();
    }

    @Test
    void an_overdue_retry_wakes_the_dispatcher_at_once() throws Exception {
        signal.raiseDueAt(Instant.now().minusSeconds(1));
        assertThat(await()).isEqualTo(new Wakeup(false, true, false));
    }

    @Test
    void after_a_failure_signals_wait_until_the_back_off_ends() throws Exception {
        signal.raiseAllAfter(Duration.ofMillis(300));
        signal.raiseEvents();
        var wakeup = waiting(waiting -> requireStillWaiting(waiting, Duration.ofMillis(150)));
        assertThat(wakeup).isEqualTo(new Wakeup(true, true, true));
    }
}
