package dev.okr.access.limits;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.Channel;
import io.netty.channel.embedded.EmbeddedChannel;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ConnectionLimitTest {
    private static final int MANY = 20;
    private static final int LARGEST_HEAD_BYTES = 32 << 10;

    private static Channel connection(int client) {
        var address = new InetSocketAddress(InetAddress.ofLiteral("192.0.2." + client), 1024);
        return new EmbeddedChannel() {
            @Override
            protected SocketAddress remoteAddress0() {
                return address;
            }
        };
    }

    @Test
    void only_as_many_connections_stay_open_as_the_limit_allows() {
        var limit = new ConnectionLimit(0, 2, List.of());
        var open = new ArrayList<Channel>();
        int rejected = 0;
        for (int client = 0; client < MANY; client++) {
            var connection = connection(client);
            if (limit.admit(connection)) {
                limit.markBusy(connection);
                open.add(connection);
            } else {
                // The caller closes such a connection, which has no event loop.
                assertThat(connection.isOpen()).isTrue();
                rejected++;
            }
        }
        assertThat(rejected).isPositive();
        open.removeIf(connection -> !connection.isOpen());
        assertThat(open).hasSize(2);
        open.forEach(Channel::close);
        for (int client = 0; client < 2; client++) {
            assertThat(limit.admit(connection(client))).isTrue();
        }
    }

    @Test
    void idle_connections_end_before_those_with_a_running_request() throws InterruptedException {
        var limit = new ConnectionLimit(0, MANY, List.of());
        var busy = new ArrayList<Channel>();
        var idle = new ArrayList<Channel>();
        for (int i = 0; i < MANY * 9 / 10; i++) {
            // One address has most of the connections, and each of them has a running request.
            var connection = connection(i < MANY / 2 ? 1 : 2 + i);
            assertThat(limit.admit(connection)).isTrue();
            limit.markBusy(connection);
            if (i < MANY / 2) {
                busy.add(connection);
            } else {
                limit.markIdle(connection);
                idle.add(connection);
            }
        }
        Thread.sleep(Duration.ofMillis(1_100));
        for (int client = 0; client < idle.size(); client++) {
            var connection = connection(100 + client);
            assertThat(limit.admit(connection)).isTrue();
            limit.markBusy(connection);
            assertThat(idle.get(client).isOpen()).isFalse();
        }
        assertThat(busy).allMatch(Channel::isOpen);
        assertThat(limit.admit(connection(200))).isTrue();
        assertThat(busy.getFirst().isOpen()).isFalse();
    }

    /** Each request restarts the idle time of its connection. */
    @Test
    void a_client_that_keeps_sending_requests_keeps_its_connection() {
        var limit = new ConnectionLimit(0, MANY, List.of());
        var client = connection(1);
        assertThat(limit.admit(client)).isTrue();
        for (int i = 0; i < 5 * MANY; i++) {
            limit.markBusy(client);
            limit.markIdle(client);
            var other = connection(2 + i);
            assertThat(limit.admit(other)).isTrue();
            limit.markBusy(other);
            limit.markIdle(other);
        }
        assertThat(client.isOpen()).isTrue();
    }

    @Test
    void an_address_can_connect_again_after_its_connections_have_ended() {
        var limit = new ConnectionLimit(1, MANY, List.of());
        for (int i = 0; i < MANY; i++) {
            var connection = connection(1);
            assertThat(limit.admit(connection)).isTrue();
            assertThat(limit.admit(connection(1))).isFalse();
            connection.close();
        }
    }

    /** Eight hostile addresses leave half of the memory for others. */
    @Test
    void eight_addresses_cannot_use_up_the_memory_for_partial_requests() {
        var limit = new ConnectionLimit(0, MANY, List.of());
        for (int client = 0; client < 8; client++) {
            while (limit.take("hostile " + client, LARGEST_HEAD_BYTES)) {
                // Takes as much as it can.
            }
        }
        for (int head = 0; head < MANY; head++) {
            assertThat(limit.take("other", LARGEST_HEAD_BYTES)).isTrue();
        }
    }
}
