package dev.okr.access.limits;

import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpRequestDecoder;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseEncoder;
import io.netty.handler.codec.http.HttpStatusClass;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.AttributeKey;
import io.netty.util.ReferenceCountUtil;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * Handles one HTTP/1.1 request of a connection at a time. The next one waits, not decoded, until the socket has taken
 * the response to the previous one. Vert.x waits only until the response ends in memory. So a client that sends many
 * requests and reads nothing would fill the memory with responses.
 *
 * <p>While a request runs, the connection still reads once, to notice that the client disconnects. It stops reading when
 * that finds another request.
 */
final class Pipelining extends ChannelDuplexHandler {
    private static final AttributeKey<Pipelining> KEY = AttributeKey.valueOf(Pipelining.class, "pipelining");

    private final Waiting waiting = new Waiting();
    private final ChannelHandlerContext decoder;

    private long messages;
    private long heads;
    private long ends;
    private long answers;
    private final List<Runnable> whenAnswered = new ArrayList<>();

    private Pipelining(ChannelHandlerContext decoder) {
        this.decoder = decoder;
    }

    /** Returns the instance of a connection. Null if the connection does not use HTTP/1.1. */
    static @Nullable Pipelining of(Channel connection) {
        var known = connection.attr(KEY).get();
        if (known != null) {
            return known;
        }
        var decoder = connection.pipeline().context(HttpRequestDecoder.class);
        var encoder = connection.pipeline().context(HttpResponseEncoder.class);
        if (decoder == null || encoder == null) {
            return null;
        }
        var added = new Pipelining(decoder);
        connection.attr(KEY).set(added);
        ((HttpRequestDecoder) decoder.handler()).setSingleDecode(true);
        connection.pipeline().addBefore(decoder.name(), null, added.waiting);
        connection.pipeline().addAfter(encoder.name(), null, added);
        return added;
    }

    /** Must be called for the first request if it was decoded before this handler was added, which TLS can cause. */
    void ensureFirstHead() {
        if (heads == 0) {
            heads = 1;
            decoder.executor().execute(waiting::resume);
        }
    }

    /** The number of heads that were decoded. */
    long heads() {
        return heads;
    }

    /** The number of requests that were completely decoded. */
    long ends() {
        return ends;
    }

    /** Also runs the action after the socket has taken the response to the current request, or the connection has ended. */
    void whenAnswered(Runnable action) {
        if (decoder.channel().isActive()) {
            whenAnswered.add(action);
        } else {
            action.run();
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        messages++;
        if (message instanceof HttpRequest) {
            heads++;
        }
        if (message instanceof LastHttpContent) {
            ends++;
        }
        context.fireChannelRead(message);
    }

    @Override
    public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
        if (message instanceof LastHttpContent && !isInformational(message)) {
            context.write(message, promise.unvoid().addListener(written -> answered()));
        } else {
            context.write(message, promise);
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        runWhenAnswered();
        context.fireChannelInactive();
    }

    private static boolean isInformational(Object message) {
        return message instanceof HttpResponse response
                && response.status().codeClass() == HttpStatusClass.INFORMATIONAL;
    }

    private void answered() {
        answers++;
        runWhenAnswered();
        // Not at once, because this may run inside the decoder.
        decoder.executor().execute(waiting::resume);
    }

    private void runWhenAnswered() {
        var actions = List.copyOf(whenAnswered);
        whenAnswered.clear();
        actions.forEach(Runnable::run);
    }

    private boolean isAnswering() {
        return ends > answers;
    }

    /** Keeps what arrives before its turn. The decoder keeps the rest of what it has begun to decode. */
    private final class Waiting extends ChannelInboundHandlerAdapter {
        private final Queue<Object> kept = new ArrayDeque<>();

        @Override
        public void channelRead(ChannelHandlerContext context, Object bytes) {
            if (isAnswering() || !kept.isEmpty()) {
                kept.add(bytes);
                context.channel().config().setAutoRead(false);
            } else {
                decode(context, bytes);
            }
        }

        /** Decodes as much as possible. The decoder returns after each part of a request. */
        private void decode(ChannelHandlerContext context, Object bytes) {
            long before = messages;
            context.fireChannelRead(bytes);
            while (messages > before && !isAnswering() && !context.isRemoved()) {
                before = messages;
                context.fireChannelRead(Unpooled.EMPTY_BUFFER);
            }
        }

        void resume() {
            var context = decoder.pipeline().context(this);
            if (context == null || isAnswering()) {
                return;
            }
            decode(context, Unpooled.EMPTY_BUFFER);
            while (!kept.isEmpty() && !isAnswering()) {
                decode(context, kept.remove());
            }
            context.fireChannelReadComplete();
            if (kept.isEmpty() && !context.channel().config().isAutoRead()) {
                context.channel().config().setAutoRead(true);
            }
        }

        @Override
        public void handlerRemoved(ChannelHandlerContext context) {
            kept.forEach(ReferenceCountUtil::release);
            kept.clear();
        }
    }
}
