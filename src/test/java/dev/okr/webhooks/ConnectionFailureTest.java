package dev.okr.webhooks;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.ConnectTimeoutException;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.proxy.ProxyConnectException;
import io.vertx.core.http.HttpClosedException;
import jakarta.ws.rs.ProcessingException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.UnknownHostException;
import java.nio.channels.ClosedChannelException;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import javax.net.ssl.SSLHandshakeException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class ConnectionFailureTest {
    static Stream<Arguments> failures() {
        return Stream.of(
                Arguments.of("timeout", new ConnectTimeoutException("connection timed out")),
                Arguments.of("timeout", new TimeoutException()),
                Arguments.of("unresolvable_host", new UnknownHostException("name")),
                Arguments.of("tls_failed", new DecoderException(new SSLHandshakeException("no"))),
                Arguments.of("connection_refused", new ConnectException("Connection refused: /192.0.2.1:80")),
                Arguments.of("connection_failed", new ConnectException("Network is unreachable")),
                Arguments.of("connection_failed", new ProxyConnectException("Connection refused by the proxy")),
                Arguments.of("connection_closed", new HttpClosedException("Connection was closed")),
                Arguments.of("connection_closed", new ClosedChannelException()));
    }

    @ParameterizedTest
    @MethodSource("failures")
    void a_known_exception_has_its_code_however_it_is_wrapped(String code, Throwable failure) {
        assertThat(ConnectionFailure.code(failure, true)).isEqualTo(code);
        assertThat(ConnectionFailure.code(failure, false)).isEqualTo(code);
        assertThat(ConnectionFailure.code(new ProcessingException(new IOException(failure)), true))
                .isEqualTo(code);
    }

    @Test
    void an_unknown_exception_is_classified_by_its_root_cause() {
        assertThat(ConnectionFailure.code(new IOException("Connection reset by peer"), true))
                .isEqualTo("connection_closed");
        assertThat(ConnectionFailure.code(new ProcessingException(new IOException("reset")), true))
                .isEqualTo("connection_closed");
        assertThat(ConnectionFailure.code(new IOException(new NumberFormatException("chunk")), true))
                .isEqualTo("invalid_response");
        assertThat(ConnectionFailure.code(new IllegalArgumentException("version"), true))
                .isEqualTo("invalid_response");
    }

    @Test
    void an_unknown_exception_without_a_connection_is_a_connection_failure() {
        assertThat(ConnectionFailure.code(new NoRouteToHostException("No route"), false))
                .isEqualTo("connection_failed");
        assertThat(ConnectionFailure.code(new IllegalStateException("closed"), false))
                .isEqualTo("connection_failed");
    }

    @Test
    void a_cycle_of_causes_terminates() {
        var inner = new IllegalStateException();
        var outer = new IllegalStateException(inner);
        inner.initCause(outer);
        assertThat(ConnectionFailure.code(outer, true)).isEqualTo("invalid_response");
    }
}
