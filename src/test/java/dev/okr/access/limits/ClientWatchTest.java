package dev.okr.access.limits;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.embedded.EmbeddedChannel;
import org.junit.jupiter.api.Test;

class ClientWatchTest {
    private static final long NO_TIMER = -1;

    /** Netty removes the handlers of a closed connection. */
    @Test
    void a_removed_watch_leaves_no_timer() {
        var watch = new ClientWatch();
        var connection = new EmbeddedChannel(watch);
        assertThat(connection.runScheduledPendingTasks()).isNotEqualTo(NO_TIMER);
        connection.pipeline().remove(watch);
        assertThat(connection.runScheduledPendingTasks()).isEqualTo(NO_TIMER);
    }
}
