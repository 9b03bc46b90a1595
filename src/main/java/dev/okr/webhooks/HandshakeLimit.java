package dev.okr.webhooks;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.ssl.DelegatingSslContext;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslProvider;
import io.vertx.core.net.JdkSSLEngineOptions;
import io.vertx.core.spi.tls.DefaultSslContextFactory;
import io.vertx.core.spi.tls.SslContextFactory;
import java.util.List;
import java.util.concurrent.Executor;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;

/**
 * Ends a TLS handshake that a subscriber sends in too many parts. For each record, Java copies the whole unfinished
 * message, up to 32 KiB. If each record had one byte, one handshake would use an event loop for seconds.
 */
final class HandshakeLimit extends JdkSSLEngineOptions {
    /** A handshake has about ten records. They can arrive in several reads. */
    private static final int MAX_PARTS = 256;

    @Override
    public HandshakeLimit copy() {
        return new HandshakeLimit();
    }

    @Override
    public SslContextFactory sslContextFactory() {
        return new DefaultSslContextFactory(SslProvider.JDK, false) {
            @Override
            public SslContext create() throws SSLException {
                return new Context(super.create());
            }
        };
    }

    private static final class Context extends DelegatingSslContext {
        Context(SslContext context) {
            super(context);
        }

        @Override
        protected SslHandler newHandler(
                ByteBufAllocator allocator, String host, int port, boolean startTls, Executor executor) {
            return new Handler(newEngine(allocator, host, port), executor);
        }

        @Override
        protected void initEngine(SSLEngine engine) {}
    }

    private static final class Handler extends SslHandler {
        private int parts;

        Handler(SSLEngine engine, Executor executor) {
            super(engine, executor);
        }

        /** Called for each record, and for each read with a part of a record. */
        @Override
        protected void decode(ChannelHandlerContext context, ByteBuf bytes, List<Object> out) throws SSLException {
            if (!handshakeFuture().isDone() && ++parts > MAX_PARTS) {
                bytes.skipBytes(bytes.readableBytes());
                context.close();
                return;
            }
            super.decode(context, bytes, out);
        }
    }
}
