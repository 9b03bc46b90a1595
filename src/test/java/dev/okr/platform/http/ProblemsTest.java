package dev.okr.platform.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.okr.platform.errors.ErrorCode;
import dev.okr.platform.errors.Failure;
import io.vertx.core.http.HttpClosedException;
import java.io.IOException;
import java.net.SocketException;
import java.nio.channels.ClosedChannelException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ProblemsTest {
    private static final Problems PROBLEMS = new Problems(new ObjectMapper(), List.of());

    static List<Exception> disconnects() {
        return List.of(
                new SocketException("Connection reset"),
                new ClosedChannelException(),
                new IOException(new SocketException("Connection reset")),
                new IOException(new IOException(new ClosedChannelException())),
                new IOException(new HttpClosedException("Connection was closed")));
    }

    @ParameterizedTest
    @MethodSource("disconnects")
    void a_disconnect_of_the_client_is_no_error_of_the_service(Exception disconnect) {
        assertThat(failureFor(disconnect).code()).isEqualTo(ErrorCode.MALFORMED_REQUEST);
    }

    @Test
    void a_failure_while_a_response_is_written_stays_the_same() {
        var failure = Failure.malformed("The connection was closed before the response ended.");
        assertThat(failureFor(new JsonMappingException(null, "Row 1", failure))).isSameAs(failure);
    }

    private static Failure failureFor(Exception surprise) {
        return PROBLEMS.failureFor(surprise, null);
    }
}
