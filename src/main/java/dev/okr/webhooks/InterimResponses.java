package dev.okr.webhooks;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.HttpClientCodec;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpStatusClass;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;

/**
 * Skips interim responses such as 102 (RFC 9110, section 15.2). Vert.x would take most of them as the final response.
 * The next request on the connection would then get the final response of the one before. This handler also closes the
 * connection of a subscriber that sends too many parts. Each part needs processor time, even if it has only one byte.
 */
final class InterimResponses extends ChannelInboundHandlerAdapter {
    /** The maximum number of heads and chunks that a subscriber may send after one request. */
    private static final int MAX_PARTS = 512;

    /** The maximum number of interim responses to one request. Servers send one or two. */
    private static final int MAX_INTERIM = 16;

    // Only the event loop of the connection uses these.
    private final HeaderLimit headers = new HeaderLimit();
    private boolean isInterim;
    private int parts;
    private int interim;

    private InterimResponses() {}

    /** Skips the interim responses on a new connection. Call it on its event loop, before anything is read. */
    static void skip(Channel connection) {
        var pipeline = connection.pipeline();
        var codec = pipeline.context(HttpClientCodec.class).name();
        var added = new InterimResponses();
        pipeline.addBefore(codec, null, added.headers);
        pipeline.addAfter(codec, null, added);
    }

    /** Begins to count the parts after the next request of a connection. Call it on its event loop. */
    static void restart(Channel connection) {
        var handler = connection.pipeline().get(InterimResponses.class);
        if (handler != null) {
            handler.parts = 0;
            handler.interim = 0;
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext connection, Object message) {
        headers.restart();
        if (++parts > MAX_PARTS || interim > MAX_INTERIM) {
            ReferenceCountUtil.release(message);
            connection.close();
            return;
        }
        if (message instanceof HttpResponse response) {
            // Vert.x would keep the connection for as long as the subscriber wants.
            response.headers().remove("keep-alive");
            isInterim = response.status().codeClass() == HttpStatusClass.INFORMATIONAL;
            interim += isInterim ? 1 : 0;
            if (response.status().equals(HttpResponseStatus.SWITCHING_PROTOCOLS)) {
                // The service did not ask for another protocol, and no HTTP response can follow.
                connection.close();
            }
        }
        if (!isInterim) {
            connection.fireChannelRead(message);
            return;
        }
        isInterim = !(message instanceof LastHttpContent);
        ReferenceCountUtil.release(message);
    }
}
