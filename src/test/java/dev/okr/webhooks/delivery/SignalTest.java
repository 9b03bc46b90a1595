package dev.okr.webhooks.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.webhooks.delivery.Signal.Calls;
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

    /** What a waiting thread is called to, and when. */
    private interface Script {
        void run(Future<Calls> waiting) throws Exception;
    }

    private Calls await() throws Exception {
        return waiting(waiting -> {});
    }

    private Calls waiting(Script script) throws Exception {
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

    private static void requireStillWaiting(Future<Calls> waiting, Duration time) throws Exception {
        try {
            throw new AssertionError(
                    "called to " + waiting.get(time.toMillis(), TimeUnit.MILLISECONDS) + " before its time");
        } catch (TimeoutException expected) {
            // It waits.
        }
    }

    @Test
    void a_call_that_came_before_the_wait_ends_it() throws Exception {
        signal.raiseEvents();
        assertThat(await()).isEqualTo(new Calls(true, false, false));
        signal.raiseRoom();
        assertThat(await()).isEqualTo(new Calls(false, false, true));
        signal.raiseAll();
        assertThat(await()).isEqualTo(new Calls(true, true, true));
    }

    @Test
    void many_calls_are_one_and_are_taken_once() throws Exception {
        for (int i = 0; i < 100; i++) {
            signal.raiseRoom();
            signal.raiseEvents();
        }
        assertThat(await()).isEqualTo(new Calls(true, false, true));
        var calls = waiting(waiting -> {
            requireStillWaiting(waiting, Duration.ofMillis(100));
            signal.raiseRoom();
        });
        assertThat(calls).isEqualTo(new Calls(false, false, true));
    }

    @Test
    void a_retry_calls_when_it_is_due() throws Exception {
        signal.raiseDueAt(Instant.now().plusMillis(300));
        var calls = waiting(waiting -> requireStillWaiting(waiting, Duration.ofMillis(150)));
        assertThat(calls).isEqualTo(new Calls(false, true, false));
    }

    @Test
    void an_earlier_retry_shortens_the_wait_and_a_later_one_does_not_lengthen_it() throws Exception {
        signal.raiseDueAt(Instant.now().plusSeconds(60));
        var calls = waiting(waiting -> {
            requireStillWaiting(waiting, Duration.ofMillis(50));
            signal.raiseDueAt(Instant.now().plusMillis(100));
            signal.raiseDueAt(Instant.now().plusSeconds(30));
        });
        assertThat(calls.due()).isTrue();
    }

    @Test
    void a_retry_that_is_overdue_calls_at_once() throws Exception {
        signal.raiseDueAt(Instant.now().minusSeconds(1));
        assertThat(await()).isEqualTo(new Calls(false, true, false));
    }

    @Test
    void after_a_failure_nothing_calls_for_a_while_and_then_everything() throws Exception {
        signal.raiseAllAfter(Duration.ofMillis(300));
        signal.raiseEvents();
        var calls = waiting(waiting -> requireStillWaiting(waiting, Duration.ofMillis(150)));
        assertThat(calls).isEqualTo(new Calls(true, true, true));
    }
}
