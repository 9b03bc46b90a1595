package dev.okr.webhooks;

import dev.okr.platform.http.Lines;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;

/**
 * Closes the connection of a subscriber that sends too many headers. Netty limits only their bytes, and each header needs
 * about 100 bytes of the heap. Netty keeps the headers until the head or the trailers are complete, so this handler
 * counts the lines before Netty reads them.
 */
final class HeaderLimit extends ChannelInboundHandlerAdapter {
    private static final int MAX_LINES = 256;

    /** So at most these lines count twice: those of a body that begins in the same piece in which the head ends. */
    private static final int PIECE_BYTES = 128;

    /** The lines since Netty last completed a head or a part of a body. */
    private int lines;

    /** Must be called for each head and each part of a body. */
    void restart() {
        lines = 0;
    }

    @Override
    public void channelRead(ChannelHandlerContext connection, Object message) {
        if (!(message instanceof ByteBuf bytes)) {
            connection.fireChannelRead(message);
        } else if (lines + Lines.count(bytes) <= MAX_LINES) {
            read(connection, bytes);
        } else {
            readInPieces(connection, bytes);
        }
    }

    private void read(ChannelHandlerContext connection, ByteBuf bytes) {
        lines += Lines.count(bytes);
        if (lines > MAX_LINES) {
            bytes.release();
            connection.close();
        } else {
            connection.fireChannelRead(bytes);
        }
    }

    private void readInPieces(ChannelHandlerContext connection, ByteBuf bytes) {
        while (bytes.readableBytes() > PIECE_BYTES && lines <= MAX_LINES) {
            read(connection, bytes.readRetainedSlice(PIECE_BYTES));
        }
        read(connection, bytes);
    }
}
