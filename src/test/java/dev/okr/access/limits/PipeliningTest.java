package dev.okr.access.limits;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpRequestDecoder;
import io.netty.handler.codec.http.HttpResponseEncoder;
import io.netty.handler.codec.http.LastHttpContent;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class PipeliningTest {
    private static final long MAX_OF_ADDRESS = Runtime.getRuntime().maxMemory() / 64;

    private final ConnectionLimit limit = new ConnectionLimit(0, Integer.MAX_VALUE, List.of());
    private final EmbeddedChannel connection = new EmbeddedChannel(new HttpRequestDecoder(), new HttpResponseEncoder());

    PipeliningTest() {
        Pipelining.install(connection, limit);
    }

    @Test
    void a_complete_request_uses_no_memory() {
        send("POST / HTTP/1.1\r\nContent-Length: 4000\r\n\r\n" + "\n".repeat(4_000));
        assertThat(isFree()).isTrue();
    }

    @Test
    void a_complete_request_in_two_parts_uses_no_memory() {
        send("POST / HTTP/1.1\r\nContent-Length: 4000\r\n\r\n");
        send("\n".repeat(2_000));
        assertThat(isFree()).isFalse();
        send("\n".repeat(2_000));
        assertThat(isFree()).isTrue();
    }

    @Test
    void the_part_of_trailers_uses_memory() {
        send("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n" + "A:\r\n".repeat(1_000));
        assertThat(isFree()).isFalse();
    }

    @Test
    void the_part_of_a_head_uses_memory_until_the_connection_ends() {
        send("GET / HTTP/1.1\r\n" + "A:\r\n".repeat(1_000));
        assertThat(isFree()).isFalse();
        connection.close();
        assertThat(isFree()).isTrue();
    }

    @Test
    void the_part_of_the_next_head_uses_memory() {
        send("GET / HTTP/1.1\r\n\r\nGET / HTTP/1.1\r\n" + "A:\r\n".repeat(1_000));
        assertThat(isFree()).isFalse();
    }

    @Test
    void small_parts_of_a_body_that_arrive_together_are_one_part() {
        write("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n" + "1\r\nx\r\n".repeat(5_000));
        assertThat(connection.<HttpRequest>readInbound()).isNotNull();
        HttpContent part = connection.readInbound();
        assertThat(part.content().toString(StandardCharsets.US_ASCII)).isEqualTo("x".repeat(5_000));
        part.release();
        write("1\r\ny\r\n0\r\n\r\n");
        HttpContent rest = connection.readInbound();
        assertThat(rest.content().toString(StandardCharsets.US_ASCII)).isEqualTo("y");
        rest.release();
        assertThat(connection.<Object>readInbound()).isInstanceOf(LastHttpContent.class);
    }

    @Test
    void a_large_part_after_small_ones_keeps_the_order() {
        write("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n2710\r\n" + "y".repeat(10_000) + "\r\n");
        assertThat(connection.<HttpRequest>readInbound()).isNotNull();
        var body = new StringBuilder();
        for (HttpContent part = connection.readInbound(); part != null; part = connection.readInbound()) {
            body.append(part.content().toString(StandardCharsets.US_ASCII));
            part.release();
        }
        assertThat(body).hasToString("x" + "y".repeat(10_000));
    }

    private void send(String text) {
        write(text);
        connection.releaseInbound();
    }

    private void write(String text) {
        connection.writeInbound(Unpooled.copiedBuffer(text, StandardCharsets.US_ASCII));
    }

    private boolean isFree() {
        var holder = limit.holder(connection);
        boolean isFree = limit.take(holder, MAX_OF_ADDRESS);
        if (isFree) {
            limit.release(holder, MAX_OF_ADDRESS);
        }
        return isFree;
    }
}
