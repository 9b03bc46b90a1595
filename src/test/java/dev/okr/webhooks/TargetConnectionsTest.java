package dev.okr.webhooks;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.embedded.EmbeddedChannel;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class TargetConnectionsTest {
    private static final InetSocketAddress MARK = new InetSocketAddress(TargetConnections.MARK, 0);
    private static final InetSocketAddress PRIVATE = new InetSocketAddress("10.0.0.1", 443);
    private static final InetSocketAddress PUBLIC = new InetSocketAddress("93.184.215.14", 443);

    private final EmbeddedChannel connection = new EmbeddedChannel(false, new TargetConnections.Check());

    @BeforeEach
    void start() {
        TargetConnections.allow(address -> !address.isSiteLocalAddress());
    }

    @AfterEach
    void stop() {
        TargetConnections.allow(address -> false);
    }

    @Test
    void a_delivery_to_a_forbidden_address_opens_no_connection() {
        var connected = connection.connect(PRIVATE, MARK);
        assertThat(connected.cause()).isInstanceOf(TargetConnections.Refused.class);
        assertThat(ConnectionFailure.code(connected.cause(), false)).isEqualTo("address_not_allowed");
    }

    @Test
    void a_name_without_an_address_is_refused() {
        var unresolved = InetSocketAddress.createUnresolved("private.example", 443);
        assertThat(connection.connect(unresolved, MARK).isSuccess()).isFalse();
    }

    @Test
    void other_connections_are_opened() {
        assertThat(connection.connect(PUBLIC, MARK).isSuccess()).isTrue();
        assertThat(connection.connect(PRIVATE).isSuccess()).isTrue();
        assertThat(connection
                        .connect(PRIVATE, new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                        .isSuccess())
                .isTrue();
    }
}
