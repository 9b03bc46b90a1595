package dev.okr.access.limits;

import dev.okr.platform.http.Lines;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.DecoderResult;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpRequestDecoder;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseEncoder;
import io.netty.handler.codec.http.HttpStatusClass;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.util.AttributeKey;
import io.netty.util.ReferenceCountUtil;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Handles one HTTP/1.1 request of a connection at a time. The next request is not decoded until the socket has taken
 * the previous response. Vert.x waits only until the response ends in memory. So a client that sends many requests and
 * reads nothing would fill the memory with responses. A connection is closed if its client does not take in time what
 * was written.
 *
 * <p>While a request runs, the connection reads once more, to notice that the client disconnects. If it then finds
 * another request, it stops reading.
 *
 * <p>Small parts of a body that arrive together are passed on as one part. Each part that is passed on wakes up the
 * thread of its request. Otherwise a body in one-byte chunks would use a whole core.
 */
final class Pipelining extends ChannelDuplexHandler {
    private static final AttributeKey<Pipelining> KEY = AttributeKey.valueOf(Pipelining.class, "pipelining");

    /** The memory for headers is about twice their bytes, plus the objects of each header. */
    private static final int MEMORY_PER_BYTE = 2;

    private static final int MEMORY_PER_LINE = 150;

    /** Not counted for any connection. So a small request is decoded although others use all memory. */
    private static final long FREE_MEMORY = 2_048;

    /** A head also has a request line and an empty line at its end. It can begin with empty lines. */
    private static final int MAX_LINES = RequestHead.MAX_HEADERS + 5;

    /** Parts of a body are passed on together up to this size. */
    private static final int MAX_GATHERED_BYTES = 8_192;

    private final Waiting waiting = new Waiting();
    private final ChannelHandlerContext decoder;
    private final ConnectionLimit limit;
    private final Duration maxWrite;
    private final String holder;
    private final NetworkTurns turns;
    private final List<Consumer<Boolean>> whenAnswered = new ArrayList<>();
    private Runnable whenEnded = () -> {};

    /** Whether the last head was refused. */
    private boolean isRefused;

    /** Whether the last request has a chunked body, which can end with trailers. */
    private boolean isChunked;

    /** The memory of the head of the last request. 0 if it has no body. */
    private long memoryOfHead;

    /** Whether the client keeps the connection after the last request. Otherwise, Vert.x closes it when both have ended. */
    private boolean isKeptAlive;

    /** Whether the rest of the current body is discarded, because its request was answered before. */
    private boolean isSkipping;

    /** Small parts of the current body that have not been passed on. */
    private ByteBuf gathered = Unpooled.EMPTY_BUFFER;

    private long messages;
    private long heads;
    private long ends;

    /** The number of responses whose last part was written. */
    private long made;

    /** The number of responses that the socket has taken. */
    private long taken;

    /** Whether something was written since the last flush. */
    private boolean isWritten;

    private Pipelining(ChannelHandlerContext decoder, ConnectionLimit limit, Duration maxWrite) {
        this.decoder = decoder;
        this.limit = limit;
        this.maxWrite = maxWrite;
        this.holder = limit.holder(decoder.channel());
        this.turns = limit.turns(decoder.executor());
    }

    /** Returns the instance of a connection. Null if there is none yet. */
    static @Nullable Pipelining of(Channel connection) {
        return connection.attr(KEY).get();
    }

    /**
     * Returns the instance of a connection, and adds it first if necessary. Null if it does not use HTTP/1.1.
     *
     * @param maxWrite the maximum time until the client takes what was written
     */
    static @Nullable Pipelining install(Channel connection, ConnectionLimit limit, Duration maxWrite) {
        var known = of(connection);
        if (known != null) {
            return known;
        }
        var decoder = connection.pipeline().context(HttpRequestDecoder.class);
        var encoder = connection.pipeline().context(HttpResponseEncoder.class);
        if (decoder == null || encoder == null) {
            return null;
        }
        var added = new Pipelining(decoder, limit, maxWrite);
        connection.attr(KEY).set(added);
        ((HttpRequestDecoder) decoder.handler()).setSingleDecode(true);
        connection.pipeline().addBefore(decoder.name(), null, added.waiting);
        connection.pipeline().addAfter(encoder.name(), null, added);
        return added;
    }

    /** Counts the first request if it was decoded before this handler was added. This can happen with TLS. */
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

    /** Whether the connection waits for the rest of a body whose request has ended. */
    boolean isSkipping() {
        return isSkipping;
    }

    /**
     * Also runs the action after the response to the current request. Its argument is true if the socket has taken the
     * response, and false if the connection has ended before.
     */
    void whenAnswered(Consumer<Boolean> action) {
        if (decoder.channel().isActive()) {
            whenAnswered.add(action);
        } else {
            action.accept(false);
        }
    }

    /** Sets an action for the end of each request, and for the end of each response when it is in memory. */
    void whenEnded(Runnable action) {
        whenEnded = action;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        if (!context.channel().isActive() || isRefused && ends == heads) {
            // The decoder decodes the rest of its bytes when the connection ends. Nobody can receive a response.
            // After a refused request the connection ends too, because nobody knows where the next request starts.
            ReferenceCountUtil.release(message);
            return;
        }
        messages++;
        waiting.decoded();
        if (message instanceof HttpRequest request) {
            heads++;
            RequestHead.check(request);
            isRefused = request.decoderResult().isFailure();
            isKeptAlive = HttpUtil.isKeepAlive(request);
            isChunked = HttpUtil.isTransferEncodingChunked(request);
            memoryOfHead = isChunked || HttpUtil.isContentLengthSet(request) ? memory(request) : 0;
        }
        if (message instanceof LastHttpContent) {
            ends++;
        }
        if (isSkipping) {
            skip(context, message);
            return;
        }
        if (message instanceof HttpContent part && !(message instanceof LastHttpContent) && isSmall(part)) {
            gather(context, part);
            return;
        }
        passGathered(context);
        context.fireChannelRead(message);
        if (message instanceof LastHttpContent) {
            whenEnded.run();
        }
    }

    private void skip(ChannelHandlerContext context, Object message) {
        ReferenceCountUtil.release(message);
        if (message instanceof LastHttpContent end) {
            isSkipping = false;
            whenEnded.run();
            if (end.decoderResult().isFailure()) {
                context.close();
            }
        }
    }

    /** The memory of a head. It is in memory until the body is complete. */
    private static long memory(HttpRequest request) {
        long memory = MEMORY_PER_BYTE * request.uri().length();
        for (var headers = request.headers().iteratorCharSequence(); headers.hasNext(); ) {
            var header = headers.next();
            memory += MEMORY_PER_LINE
                    + MEMORY_PER_BYTE
                            * (header.getKey().length() + header.getValue().length());
        }
        return memory;
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        passGathered(context);
        context.fireChannelReadComplete();
    }

    private static boolean isSmall(HttpContent part) {
        return !(part instanceof HttpRequest) && part.content().readableBytes() < MAX_GATHERED_BYTES;
    }

    private void gather(ChannelHandlerContext context, HttpContent part) {
        try {
            if (gathered.readableBytes() + part.content().readableBytes() > MAX_GATHERED_BYTES) {
                passGathered(context);
            }
            if (!gathered.isReadable()) {
                gathered = context.alloc().buffer(part.content().readableBytes());
            }
            gathered.writeBytes(part.content());
        } finally {
            part.release();
        }
    }

    private void passGathered(ChannelHandlerContext context) {
        if (gathered.isReadable()) {
            var part = new DefaultHttpContent(gathered);
            gathered = Unpooled.EMPTY_BUFFER;
            context.fireChannelRead(part);
        }
    }

    @Override
    public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
        context.write(message, promise);
        isWritten = true;
        if (message instanceof LastHttpContent && !isInformational(message)) {
            made++;
            whenEnded.run();
            if (heads > ends && isKeptAlive) {
                long request = heads;
                // Not at once, because Vert.x has not ended the response yet.
                context.executor().execute(() -> skipRest(context, request));
            }
        }
    }

    /** Ends an answered request before its body has arrived, so that it does not stay in memory. Discards the body. */
    private void skipRest(ChannelHandlerContext context, long request) {
        if (heads == request && ends < request && context.channel().isActive()) {
            passGathered(context);
            isSkipping = true;
            waiting.settle();
            context.fireChannelRead(LastHttpContent.EMPTY_LAST_CONTENT);
            context.fireChannelReadComplete();
            whenEnded.run();
        }
    }

    /**
     * Counts the responses as taken if nothing is unsent. This is the usual case. A listener and a timer for each response
     * would cost much more.
     */
    @Override
    public void flush(ChannelHandlerContext context) {
        // A flush can notify listeners that write more. That belongs to the next flush.
        boolean hasWritten = isWritten;
        long responses = made;
        isWritten = false;
        context.flush();
        var unsent = context.channel().unsafe().outboundBuffer();
        if (!hasWritten || unsent == null) {
            return;
        }
        if (unsent.isEmpty()) {
            take(responses);
        } else {
            awaitTaken(context, responses);
        }
    }

    /** Waits for the end of what was written. Closes the connection if its client does not take it in time. */
    private void awaitTaken(ChannelHandlerContext context, long responses) {
        var timeout = context.executor().schedule(() -> closeNow(context), maxWrite.toNanos(), TimeUnit.NANOSECONDS);
        context.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(end -> {
            timeout.cancel(false);
            if (end.isSuccess()) {
                take(responses);
            } else {
                closeNow(context);
            }
        });
    }

    /** Does not use the handler of TLS. It would wait until the client takes what is unsent. */
    private static void closeNow(ChannelHandlerContext context) {
        var unsafe = context.channel().unsafe();
        unsafe.close(unsafe.voidPromise());
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        runWhenAnswered(false);
        context.fireChannelInactive();
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext context) {
        gathered.release();
        gathered = Unpooled.EMPTY_BUFFER;
    }

    private static boolean isInformational(Object message) {
        return message instanceof HttpResponse response
                && response.status().codeClass() == HttpStatusClass.INFORMATIONAL;
    }

    private void take(long responses) {
        if (responses <= taken) {
            return;
        }
        taken = responses;
        runWhenAnswered(true);
        // Vert.x stops reading while a paused request has a full queue.
        if (waiting.hasBytes() || !decoder.channel().config().isAutoRead()) {
            // Not at once, because this may run inside the decoder.
            turns.await(holder, waiting.resume);
        }
    }

    private void runWhenAnswered(boolean isTaken) {
        var actions = List.copyOf(whenAnswered);
        whenAnswered.clear();
        actions.forEach(action -> action.accept(isTaken));
    }

    private boolean isAnswering() {
        return ends > taken;
    }

    /** Sends the response to a head that the decoder refuses. */
    private void refuseHead() {
        var request = new DefaultFullHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.GET, "/", Unpooled.EMPTY_BUFFER);
        request.setDecoderResult(DecoderResult.failure(new TooLongHttpHeaderException("Too many lines")));
        decoder.fireChannelRead(request);
    }

    /**
     * Keeps bytes that arrive before the next request may be decoded. The decoder keeps the bytes of a part that is not
     * complete. Both count as memory of the client address. The count covers the bytes since the decoder last made a
     * part of a request. It covers the bytes of the last read until the request is complete and the decoder is empty.
     */
    private final class Waiting extends ChannelInboundHandlerAdapter {
        final Runnable resume = this::resume;
        private final Queue<Object> kept = new ArrayDeque<>();
        private long memory;

        /** An upper bound of the memory that the bytes of the last read need. */
        private long memoryOfRead;

        /** The last read. The decoder keeps this buffer itself if it was empty before, and otherwise a copy. */
        private Object read = Unpooled.EMPTY_BUFFER;

        private boolean isKeptItself;

        /** Whether the decoder has no bytes and no part of a head. If this is not known, false. */
        private boolean isDecoderEmpty = true;

        /** Whether the decoder may have another complete request. */
        private boolean mayHaveRequest;

        /** The lines that arrived since the decoder last made a part of a request. */
        private long lines;

        @Override
        public void channelRead(ChannelHandlerContext context, Object bytes) {
            long addedBytes = bytes instanceof ByteBuf buffer ? buffer.readableBytes() : 0;
            long addedLines = bytes instanceof ByteBuf buffer ? Lines.count(buffer) : 0;
            long before = messages;
            read = bytes;
            isKeptItself = isDecoderEmpty;
            isDecoderEmpty = false;
            lines += addedLines;
            keepOrDecode(context, bytes);
            if (context.isRemoved()) {
                return;
            }
            if (!resize(memory(addedBytes, addedLines, messages > before)) || hasTooManyLines() && heads > ends) {
                context.close();
            } else if (hasTooManyLines()) {
                refuseHead();
            }
        }

        /**
         * Whether a head or trailers are arriving with too many lines. The lines of a body have no limit, because the
         * decoder passes on each part of a body.
         */
        private boolean hasTooManyLines() {
            return lines > MAX_LINES && kept.isEmpty() && !isAnswering() && !decoder.isRemoved();
        }

        /** An upper bound of the memory after a read. */
        private long memory(long addedBytes, long addedLines, boolean hasDecoded) {
            memoryOfRead = MEMORY_PER_BYTE * addedBytes + MEMORY_PER_LINE * addedLines;
            if (!hasDecoded) {
                return memory + memoryOfRead;
            }
            if (heads > ends) {
                // The decoder passes on the bytes of a body. Only the lines of trailers become objects. The head is on
                // the heap and the bytes are in direct memory, so they are not added. The read can contain the head.
                long ofTrailers = isChunked ? MEMORY_PER_LINE * addedLines : 0;
                return Math.max(Math.max(isSkipping ? 0 : memoryOfHead, ofTrailers), addedBytes);
            }
            return isDecoderEmpty ? 0 : memoryOfRead;
        }

        /** Called when the decoder has made a part of a request. */
        void decoded() {
            lines = 0;
            isDecoderEmpty = isKeptItself
                    && kept.isEmpty()
                    && read instanceof ByteBuf buffer
                    && (buffer.refCnt() == 0 || !buffer.isReadable());
            if (isDecoderEmpty) {
                // Netty may use the buffer again for another connection.
                read = Unpooled.EMPTY_BUFFER;
            }
        }

        /** Whether a part of the next request may have arrived. */
        boolean hasBytes() {
            return !isDecoderEmpty || !kept.isEmpty();
        }

        private boolean resize(long next) {
            long difference = Math.max(0, next - FREE_MEMORY) - Math.max(0, memory - FREE_MEMORY);
            if (difference > 0 && !limit.take(holder, difference)) {
                return false;
            }
            if (difference < 0) {
                limit.release(holder, -difference);
            }
            memory = next;
            return true;
        }

        /** Counts only what is still in memory after a part of a request was decoded. */
        void settle() {
            boolean isBodyArriving = heads > ends && !isSkipping;
            resize(isBodyArriving ? memoryOfHead : isDecoderEmpty ? 0 : Math.min(memory, memoryOfRead));
        }

        private void keepOrDecode(ChannelHandlerContext context, Object bytes) {
            // A read can come between the end of a response and the task that decodes the next request. If the decoder
            // got that read too, its buffer would grow by a whole read for each request that it decodes.
            boolean mustWait = isAnswering() || mayHaveRequest || !kept.isEmpty();
            // A body needs no turn. After a skipped body, the next head can be in the same read.
            if (!mustWait && (heads > ends && !isSkipping || turns.begin())) {
                decode(context, bytes);
                return;
            }
            kept.add(bytes);
            context.channel().config().setAutoRead(false);
            if (!mustWait) {
                turns.await(holder, resume);
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
            mayHaveRequest = isAnswering() && !isDecoderEmpty;
        }

        void resume() {
            var context = decoder.pipeline().context(this);
            if (context == null || isAnswering()) {
                return;
            }
            long before = messages;
            decode(context, Unpooled.EMPTY_BUFFER);
            while (!kept.isEmpty() && !isAnswering()) {
                before = messages;
                decode(context, kept.remove());
            }
            context.fireChannelReadComplete();
            // Otherwise, the decoder may also have bytes of earlier reads.
            if (kept.isEmpty() && messages > before) {
                settle();
            }
            if (kept.isEmpty() && !context.channel().config().isAutoRead()) {
                context.channel().config().setAutoRead(true);
            }
        }

        @Override
        public void handlerRemoved(ChannelHandlerContext context) {
            turns.cancel(holder, resume);
            kept.forEach(ReferenceCountUtil::release);
            kept.clear();
            resize(0);
        }
    }
}
