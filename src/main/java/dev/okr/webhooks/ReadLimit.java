package dev.okr.webhooks;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;

/**
 * Closes the connection of a subscriber that sends more than {@value #MAX_BYTES} bytes after a request. It counts all
 * bytes, including those of interim and unsolicited responses. Vert.x reads these responses without a limit.
 */
final class ReadLimit extends ChannelInboundHandlerAdapter {
    static final int MAX_BYTES = 128 * 1024;

    /** Only the event loop of the connection uses it. */
    private long received;

    private ReadLimit() {}

    /** Limits a new connection. Call it on its event loop. */
    static void add(Channel connection) {
        connection.pipeline().addFirst(new ReadLimit());
    }

    /** Begins to count the bytes after the next request of a connection. Call it on its event loop. */
    static void restart(Channel connection) {
        var limit = connection.pipeline().get(ReadLimit.class);
        if (limit != null) {
            limit.received = 0;
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext connection, Object message) {
        received += message instanceof ByteBuf bytes ? bytes.readableBytes() : 0;
        // These bytes may contain the rest of a valid response.
        connection.fireChannelRead(message);
        if (received > MAX_BYTES) {
            connection.close();
        }
    }
}
