package dev.okr.access.limits;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class NetworkTurnsTest {
    private static final int AT_ONCE = 8;

    private final EmbeddedChannel channel = new EmbeddedChannel();
    private final List<String> begun = new ArrayList<>();
    private final NetworkTurns turns = new NetworkTurns(channel.eventLoop());

    @Test
    void a_few_begin_at_once_and_again_in_the_next_iteration() {
        for (int round = 0; round < 3; round++) {
            for (int i = 0; i < AT_ONCE; i++) {
                assertThat(turns.begin()).isTrue();
            }
            assertThat(turns.begin()).isFalse();
            runOnce();
        }
    }

    @Test
    void networks_take_turns() {
        useUp();
        for (int i = 0; i < 20; i++) {
            await("many");
        }
        await("one");
        await("other");
        runOnce();
        assertThat(begun).hasSize(AT_ONCE).startsWith("many", "one", "other", "many");
    }

    @Test
    void nothing_overtakes_what_waits() {
        useUp();
        for (int i = 0; i < AT_ONCE + 1; i++) {
            await("many");
        }
        runOnce();
        assertThat(begun).hasSize(AT_ONCE);
        assertThat(turns.begin()).isFalse();
        runOnce();
        assertThat(begun).hasSize(AT_ONCE + 1);
        assertThat(turns.begin()).isTrue();
    }

    @Test
    void what_was_cancelled_does_not_run() {
        useUp();
        Runnable work = () -> begun.add("cancelled");
        turns.await("one", work);
        turns.cancel("one", work);
        turns.cancel("unknown", work);
        await("other");
        runOnce();
        assertThat(begun).containsExactly("other");
    }

    private void useUp() {
        for (int i = 0; i < AT_ONCE; i++) {
            turns.begin();
        }
    }

    private void await(String network) {
        turns.await(network, () -> begun.add(network));
    }

    /** One iteration of the event loop. Its tasks with a delay run in the next one. */
    private void runOnce() {
        channel.freezeTime();
        channel.advanceTimeBy(1, TimeUnit.NANOSECONDS);
        channel.runPendingTasks();
    }
}
