package dev.okr.platform.http;

import io.netty.buffer.ByteBuf;

/** Counts the lines of an HTTP message before it is decoded. */
public final class Lines {
    private static final byte LINE_FEED = '\n';

    private Lines() {}

    /** The number of line ends in the readable bytes. */
    public static int count(ByteBuf bytes) {
        int lines = 0;
        int end = bytes.writerIndex();
        for (int at = bytes.indexOf(bytes.readerIndex(), end, LINE_FEED);
                at >= 0;
                at = bytes.indexOf(at + 1, end, LINE_FEED)) {
            lines++;
        }
        return lines;
    }
}
