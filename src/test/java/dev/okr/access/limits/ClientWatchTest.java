package dev.okr.access.limits;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.embedded.EmbeddedChannel;
import org.junit.jupiter.api.Test;

class ClientWatchTest {
    private static final long NO_TIMER = -1;

    @Test
    void a_closed_connection_leaves_no_timer() {
        var connection = new EmbeddedChannel(new ClientWatch());
        assertThat(connection.runScheduledPendingTasks()).isNotEqualTo(NO_TIMER);
        connection.close();
        assertThat(connection.runScheduledPendingTasks()).isEqualTo(NO_TIMER);
    }
}
