package dev.okr.access.limits;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpRequestDecoder;
import io.netty.handler.codec.http.HttpResponseEncoder;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class PipeliningTest {
    private static final long MAX_OF_ADDRESS = Runtime.getRuntime().maxMemory() / 64;
    private static final int READ_BYTES = 4_096;

    private static final Duration MAX_WRITE = Duration.ofSeconds(10);

    private final ConnectionLimit limit = new ConnectionLimit(0, Integer.MAX_VALUE, List.of());

    /** Whether the client takes nothing. */
    private boolean isBlocked;

    private final EmbeddedChannel connection =
            new EmbeddedChannel(new HttpRequestDecoder(), new HttpResponseEncoder()) {
                @Override
                protected void doWrite(ChannelOutboundBuffer unsent) throws Exception {
                    if (!isBlocked) {
                        super.doWrite(unsent);
                    }
                }
            };

    PipeliningTest() {
        Pipelining.install(connection, limit, MAX_WRITE);
    }

    @Test
    void a_complete_request_uses_no_memory() {
        send("POST / HTTP/1.1\r\nContent-Length: 4000\r\n\r\n" + "\n".repeat(4_000));
        assertThat(isFree()).isTrue();
    }

    @Test
    void a_complete_request_in_two_parts_uses_no_memory() {
        send("POST / HTTP/1.1\r\nContent-Length: 4000\r\n\r\n");
        send("\n".repeat(3_000));
        assertThat(isFree()).isFalse();
        send("\n".repeat(1_000));
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
    void a_head_uses_memory_until_its_body_is_complete() {
        var head = "POST / HTTP/1.1\r\nContent-Length: 10\r\n" + "A:\r\n".repeat(95) + "\r\n";
        for (var before : List.of("", "GET / HTTP/1.1\r\n\r\n")) {
            send(before + head);
            if (!before.isEmpty()) {
                answer();
            }
            assertThat(isFree()).isFalse();
            send("0123456789");
            assertThat(isFree()).isTrue();
            answer();
        }
    }

    @Test
    void a_request_ends_with_its_response_and_the_rest_of_its_body_is_discarded() {
        write("POST / HTTP/1.1\r\nContent-Length: 10\r\n" + "A:\r\n".repeat(95) + "\r\n01");
        answer();
        assertThat(isFree()).isTrue();
        assertThat(connection.<Object>readInbound()).isInstanceOf(HttpRequest.class);
        connection.<HttpContent>readInbound().release();
        assertThat(connection.<Object>readInbound()).isInstanceOf(LastHttpContent.class);
        write("234567");
        write("89GET /next HTTP/1.1\r\n\r\n");
        assertThat(connection.<HttpRequest>readInbound().uri()).isEqualTo("/next");
        assertThat(connection.<Object>readInbound()).isInstanceOf(LastHttpContent.class);
        assertThat(connection.<Object>readInbound()).isNull();
    }

    @Test
    void the_last_request_of_a_connection_does_not_end_before_its_body() {
        write("POST / HTTP/1.1\r\nContent-Length: 10\r\nConnection: close\r\n\r\n");
        assertThat(connection.<Object>readInbound()).isInstanceOf(HttpRequest.class);
        answer();
        assertThat(connection.<Object>readInbound()).isNull();
        write("0123456789");
        assertThat(connection.<Object>readInbound()).isInstanceOf(LastHttpContent.class);
    }

    @Test
    void a_malformed_rest_of_a_body_ends_the_connection() {
        send("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n");
        answer();
        send("1\r\nx\r\n");
        assertThat(connection.isOpen()).isTrue();
        send("no chunk\r\n");
        assertThat(connection.isOpen()).isFalse();
    }

    @Test
    void a_head_waits_for_its_turn_also_after_a_discarded_body() {
        var turns = limit.turns(connection.eventLoop());
        var post = "POST / HTTP/1.1\r\nContent-Length: 1\r\n\r\n";
        for (var before : List.of("", "x")) {
            while (turns.begin()) {}
            connection.pipeline().fireChannelRead(Unpooled.copiedBuffer(before + post, StandardCharsets.US_ASCII));
            assertThat(connection.<Object>readInbound()).isNull();
            connection.runPendingTasks();
            assertThat(connection.<Object>readInbound()).isInstanceOf(HttpRequest.class);
            assertThat(connection.config().isAutoRead()).isTrue();
            answer();
            connection.releaseInbound();
        }
    }

    @Test
    void a_connection_that_ends_stops_waiting_for_its_turn() {
        // So that there is only one iteration of the event loop. It runs the work of the others.
        connection.freezeTime();
        var turns = limit.turns(connection.eventLoop());
        var others = new ArrayList<String>();
        while (turns.begin()) {
            others.add("other" + others.size());
        }
        others.forEach(other -> turns.await(other, () -> {}));
        connection
                .pipeline()
                .fireChannelRead(Unpooled.copiedBuffer("GET / HTTP/1.1\r\n\r\n", StandardCharsets.US_ASCII));
        connection.close();
        assertThat(turns.isAnyWaiting()).isFalse();
    }

    @Test
    void the_part_of_the_next_head_uses_memory() {
        send("GET / HTTP/1.1\r\n\r\nGET / HTTP/1.1\r\n" + "A:\r\n".repeat(1_000));
        assertThat(isFree()).isFalse();
    }

    @Test
    void a_head_with_too_many_lines_is_refused_while_it_arrives() {
        write("GET / HTTP/1.1\r\n" + "A:\r\n".repeat(RequestHead.MAX_HEADERS));
        assertThat(connection.<Object>readInbound()).isNull();
        write("A:\r\n".repeat(10));
        HttpRequest request = connection.readInbound();
        assertThat(request.decoderResult().cause()).isInstanceOf(TooLongHttpHeaderException.class);
    }

    @Test
    void trailers_with_too_many_lines_end_the_connection() {
        send("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n");
        send("A:\r\n".repeat(RequestHead.MAX_HEADERS));
        assertThat(connection.isOpen()).isTrue();
        send("A:\r\n".repeat(10));
        assertThat(connection.isOpen()).isFalse();
    }

    @Test
    void the_lines_of_bodies_and_of_several_requests_have_no_limit() {
        send("POST / HTTP/1.1\r\nContent-Length: 2000\r\n\r\n" + "\n".repeat(1_000));
        send("\n".repeat(1_000));
        answer();
        send("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n" + "1\r\n\n\r\n".repeat(500));
        send("1\r\n\n\r\n".repeat(500));
        send("0\r\n\r\n");
        answer();
        write("GET / HTTP/1.1\r\n\r\n".repeat(200));
        write("GET / HTTP/1.1\r\n\r\n".repeat(200) + "GET");
        int requests = 0;
        for (Object part = connection.readInbound(); part != null; part = connection.readInbound()) {
            if (part instanceof HttpRequest request) {
                assertThat(request.decoderResult().isSuccess()).isTrue();
                requests++;
            } else {
                answer();
            }
        }
        assertThat(requests).isEqualTo(400);
        write(" / HTTP/1.1\r\n");
        assertThat(connection.<Object>readInbound()).isNull();
        assertThat(connection.isOpen()).isTrue();
    }

    @Test
    void bodies_arrive_although_others_use_all_memory() {
        for (int other = 0; other < 8; other++) {
            assertThat(limit.take("other" + other, MAX_OF_ADDRESS)).isTrue();
        }
        assertThat(limit.take("one more", MAX_OF_ADDRESS)).isFalse();
        for (var coding : List.of("Content-Length: 20000", "Transfer-Encoding: chunked")) {
            var head = "POST / HTTP/1.1\r\nHost: okr\r\n" + "X-Forwarded-Something: and its value\r\n".repeat(20)
                    + coding + "\r\n\r\n";
            var body =
                    coding.endsWith("chunked") ? "4e20\r\n" + "x".repeat(20_000) + "\r\n0\r\n\r\n" : "x".repeat(20_000);
            var request = head + body;
            for (int at = 0; at < request.length(); at += READ_BYTES) {
                send(request.substring(at, Math.min(request.length(), at + READ_BYTES)));
                assertThat(connection.isOpen()).isTrue();
            }
            answer();
        }
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

    @Test
    void a_connection_ends_if_its_client_takes_nothing() {
        connection.freezeTime();
        send("GET / HTTP/1.1\r\n\r\n");
        isBlocked = true;
        answer();
        advance(MAX_WRITE.minusSeconds(1));
        assertThat(connection.isOpen()).isTrue();
        advance(Duration.ofSeconds(1));
        assertThat(connection.isOpen()).isFalse();
    }

    @Test
    void the_next_request_waits_until_the_client_takes_the_response() {
        connection.freezeTime();
        write("GET / HTTP/1.1\r\n\r\nGET / HTTP/1.1\r\n\r\n");
        connection.releaseInbound();
        var answered = whenAnswered();
        isBlocked = true;
        answer();
        assertThat(answered).isEmpty();
        assertThat(connection.<Object>readInbound()).isNull();
        isBlocked = false;
        connection.flush();
        connection.runPendingTasks();
        assertThat(answered).containsExactly(true);
        assertThat(connection.<Object>readInbound()).isInstanceOf(HttpRequest.class);
        // The timer was cancelled.
        advance(MAX_WRITE);
        assertThat(connection.isOpen()).isTrue();
    }

    @Test
    void a_client_that_disconnects_has_not_taken_the_response() {
        send("GET / HTTP/1.1\r\n\r\n");
        var answered = whenAnswered();
        isBlocked = true;
        answer();
        connection.close();
        connection.runPendingTasks();
        assertThat(answered).containsExactly(false);
    }

    @Test
    void an_informational_response_is_not_the_answer() {
        send("POST / HTTP/1.1\r\nContent-Length: 1\r\nExpect: 100-continue\r\n\r\n");
        var answered = whenAnswered();
        connection.writeOutbound(new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.CONTINUE));
        assertThat(answered).isEmpty();
        answer();
        assertThat(answered).containsExactly(true);
        connection.releaseOutbound();
    }

    @Test
    void requests_that_waited_use_no_memory_later() {
        var request = "GET / HTTP/1.1\r\n" + "A:\r\n".repeat(90) + "\r\n";
        send(request);
        for (long bytes = 0; bytes < MAX_OF_ADDRESS; bytes += request.length()) {
            send(request);
            answer();
            connection.releaseInbound();
            assertThat(connection.isOpen()).isTrue();
        }
        answer();
        assertThat(isFree()).isTrue();
    }

    @Test
    void a_read_before_the_next_request_is_decoded_is_kept() {
        write("GET / HTTP/1.1\r\n\r\n".repeat(100));
        connection.releaseInbound();
        // Without the task that decodes the next request.
        connection.pipeline().writeAndFlush(new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK));
        connection
                .pipeline()
                .fireChannelRead(
                        Unpooled.copiedBuffer("GET / HTTP/1.1\r\n\r\n".repeat(100), StandardCharsets.US_ASCII));
        assertThat(connection.config().isAutoRead()).isFalse();
        connection.releaseInbound();
        connection.runPendingTasks();
        for (int answered = 1; answered < 200; answered++) {
            assertThat(connection.<Object>readInbound()).isInstanceOf(HttpRequest.class);
            connection.releaseInbound();
            answer();
        }
        assertThat(connection.<Object>readInbound()).isNull();
        assertThat(connection.config().isAutoRead()).isTrue();
    }

    private List<Boolean> whenAnswered() {
        var answered = new ArrayList<Boolean>();
        Objects.requireNonNull(Pipelining.of(connection)).whenAnswered(answered::add);
        return answered;
    }

    private void advance(Duration duration) {
        connection.advanceTimeBy(duration.toSeconds(), TimeUnit.SECONDS);
        connection.runScheduledPendingTasks();
    }

    private void answer() {
        connection.writeOutbound(new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK));
        connection.releaseOutbound();
        connection.runPendingTasks();
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
