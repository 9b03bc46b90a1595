package dev.okr.webhooks;

import dev.okr.platform.http.Lines;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;

/**
 * Closes the connection of a subscriber that sends too many headers. Netty limits only their bytes, and each header
 * needs about 100 bytes of the heap. Netty keeps the headers until the head or the trailers are complete. So this
 * handler counts the lines before Netty reads them. After the connection is closed, it passes nothing on.
 */
final class HeaderLimit extends ChannelInboundHandlerAdapter {
    private static final int MAX_LINES = 256;

    /** The size of the pieces of a read with many lines. Lines after the end of a head in one piece are not counted. */
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
            return;
        }
        int added = Lines.count(bytes);
        if (lines + added <= MAX_LINES) {
            read(connection, bytes, added);
        } else {
            readInPieces(connection, bytes);
        }
    }

    private void readInPieces(ChannelHandlerContext connection, ByteBuf bytes) {
        while (bytes.readableBytes() > PIECE_BYTES && lines <= MAX_LINES) {
            var piece = bytes.readRetainedSlice(PIECE_BYTES);
            read(connection, piece, Lines.count(piece));
        }
        read(connection, bytes, Lines.count(bytes));
    }

    private void read(ChannelHandlerContext connection, ByteBuf bytes, int added) {
        lines += added;
        if (lines > MAX_LINES || !connection.channel().isOpen()) {
            bytes.release();
            connection.close();
        } else {
            connection.fireChannelRead(bytes);
        }
    }
}
