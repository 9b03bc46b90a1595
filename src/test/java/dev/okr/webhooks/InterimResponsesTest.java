package dev.okr.webhooks;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.HttpClientCodec;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class InterimResponsesTest {
    private static final int MAX_PARTS = 512;

    /** The chunks between two pieces of the bytes. */
    private static final int TOLERANCE = 30;

    /** Otherwise each attempt would cost the processor time for thousands of chunks. */
    @Test
    void the_rest_of_a_response_in_too_many_parts_is_not_decoded() {
        var connection = new EmbeddedChannel(new HttpClientCodec());
        InterimResponses.skip(connection);
        var decoded = new AtomicInteger();
        connection
                .pipeline()
                .addAfter(connection.pipeline().context(HttpClientCodec.class).name(), null, counter(decoded));
        var response = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + "1\r\nx\r\n".repeat(10_000);
        connection.writeInbound(Unpooled.copiedBuffer(response, StandardCharsets.US_ASCII));
        assertThat(connection.isOpen()).isFalse();
        assertThat(decoded.get()).isBetween(MAX_PARTS, MAX_PARTS + TOLERANCE);
    }

    private static ChannelInboundHandlerAdapter counter(AtomicInteger decoded) {
        return new ChannelInboundHandlerAdapter() {
            @Override
            public void channelRead(ChannelHandlerContext context, Object message) {
                decoded.incrementAndGet();
                context.fireChannelRead(message);
            }
        };
    }
}
