package dev.okr.access.limits;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.embedded.EmbeddedChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class NetworkTurnsTest {
    private static final int AT_ONCE = 8;
    private static final Duration PAUSE = Duration.ofMillis(4);

    private final EmbeddedChannel channel = new EmbeddedChannel();
    private final List<String> begun = new ArrayList<>();
    private final NetworkTurns turns = new NetworkTurns(channel.eventLoop(), PAUSE);

    @BeforeEach
    void freezeTime() {
        channel.freezeTime();
    }

    @Test
    void a_few_begin_at_once_and_again_after_the_pause() {
        for (int round = 0; round < 3; round++) {
            for (int i = 0; i < AT_ONCE; i++) {
                assertThat(turns.begin()).isTrue();
            }
            assertThat(turns.begin()).isFalse();
            pause();
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
        pause();
        assertThat(begun).hasSize(AT_ONCE).startsWith("many", "one", "other", "many");
    }

    @Test
    void nothing_overtakes_what_waits() {
        useUp();
        for (int i = 0; i < AT_ONCE + 1; i++) {
            await("many");
        }
        pause();
        assertThat(begun).hasSize(AT_ONCE);
        assertThat(turns.begin()).isFalse();
        pause();
        assertThat(begun).hasSize(AT_ONCE + 1);
        assertThat(turns.begin()).isTrue();
    }

    private void useUp() {
        for (int i = 0; i < AT_ONCE; i++) {
            turns.begin();
        }
    }

    private void await(String network) {
        turns.await(network, () -> begun.add(network));
    }

    private void pause() {
        channel.advanceTimeBy(PAUSE.toNanos(), TimeUnit.NANOSECONDS);
        channel.runScheduledPendingTasks();
    }
}
