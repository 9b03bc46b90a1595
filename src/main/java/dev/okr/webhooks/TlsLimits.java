package dev.okr.webhooks;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.ssl.DelegatingSslContext;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslProvider;
import io.vertx.core.net.JdkSSLEngineOptions;
import io.vertx.core.spi.tls.DefaultSslContextFactory;
import io.vertx.core.spi.tls.SslContextFactory;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.List;
import java.util.concurrent.Executor;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import javax.net.ssl.TrustManagerFactory;

/**
 * Ends TLS connections to subscribers that would use too much processor time or memory. Large certificate chains are
 * refused by {@link CertificateLimit}.
 */
final class TlsLimits extends JdkSSLEngineOptions {
    /**
     * The maximum number of records, or reads with a part of a record, in a handshake and then in each response. For
     * each one in a handshake, Java copies the whole unfinished message, up to 32 KiB. For each key update, it derives
     * new keys. A handshake has about ten.
     */
    private static final int MAX_PARTS = 256;

    /** Java keeps the certificates with the connection, and also in a cache. */
    private static final int MAX_COMMON_BYTES = 8 * 1024;

    /** The maximum of the handshakes that {@link LargeHandshakes} allows. */
    private static final int MAX_BYTES = 16 * 1024;

    private static final int RECORD_HEADER_BYTES = 5;
    private static final int RECORD_LENGTH_INDEX = 3;

    private final LargeHandshakes largeHandshakes;

    TlsLimits() {
        this(new LargeHandshakes());
    }

    private TlsLimits(LargeHandshakes largeHandshakes) {
        this.largeHandshakes = largeHandshakes;
    }

    @Override
    public TlsLimits copy() {
        return new TlsLimits(largeHandshakes);
    }

    @Override
    public SslContextFactory sslContextFactory() {
        return new ContextFactory();
    }

    /** Begins to count the records of the next response. Call it on the event loop of the connection. */
    static void restart(Channel connection) {
        var handler = connection.pipeline().get(Handler.class);
        if (handler != null) {
            handler.parts = 0;
        }
    }

    private final class ContextFactory extends DefaultSslContextFactory {
        private boolean isTrustConfigured;

        ContextFactory() {
            super(SslProvider.JDK, false);
        }

        @Override
        public SslContextFactory trustManagerFactory(TrustManagerFactory trust) {
            isTrustConfigured = true;
            return super.trustManagerFactory(CertificateLimit.of(trust));
        }

        @Override
        public SslContext create() throws SSLException {
            if (!isTrustConfigured) {
                trustManagerFactory(defaultTrust());
            }
            return new Context(super.create());
        }

        /** The trust store of the JVM. */
        private static TrustManagerFactory defaultTrust() throws SSLException {
            try {
                var trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
                trust.init((KeyStore) null);
                return trust;
            } catch (GeneralSecurityException e) {
                throw new SSLException("The trust store cannot be read.", e);
            }
        }
    }

    private final class Context extends DelegatingSslContext {
        Context(SslContext context) {
            super(context);
        }

        @Override
        protected SslHandler newHandler(
                ByteBufAllocator allocator, String host, int port, boolean startTls, Executor executor) {
            return new Handler(newEngine(allocator, host, port), host, executor);
        }

        @Override
        protected void initEngine(SSLEngine engine) {}
    }

    private final class Handler extends SslHandler {
        private final String host;
        private int parts;
        private int handshakeBytes;
        private boolean isLarge;

        Handler(SSLEngine engine, String host, Executor executor) {
            super(engine, executor);
            this.host = host;
        }

        /** Called for each record, and for each read with a part of a record. */
        @Override
        protected void decode(ChannelHandlerContext context, ByteBuf bytes, List<Object> out) throws SSLException {
            if (++parts > MAX_PARTS || isTooLarge(context.channel(), bytes)) {
                bytes.skipBytes(bytes.readableBytes());
                context.close();
                return;
            }
            int before = bytes.readableBytes();
            super.decode(context, bytes, out);
            handshakeBytes += before - bytes.readableBytes();
        }

        /** Includes the record that has begun to arrive, because Java parses certificates when it is complete. */
        private boolean isTooLarge(Channel connection, ByteBuf bytes) {
            if (handshakeFuture().isDone() || bytes.readableBytes() < RECORD_HEADER_BYTES) {
                return false;
            }
            int record = RECORD_HEADER_BYTES + bytes.getUnsignedShort(bytes.readerIndex() + RECORD_LENGTH_INDEX);
            int total = handshakeBytes + record;
            isLarge = isLarge || total > MAX_COMMON_BYTES && total <= MAX_BYTES && tryLargeHandshake(connection);
            return total > (isLarge ? MAX_BYTES : MAX_COMMON_BYTES);
        }

        private boolean tryLargeHandshake(Channel connection) {
            // A connection through a proxy is to the proxy. So each host has a share instead of the organisation.
            var organization =
                    WebhookSender.organization(connection.remoteAddress()).orElse(host);
            if (!largeHandshakes.tryStart(organization)) {
                return false;
            }
            handshakeFuture().addListener(ended -> {
                if (ended.isSuccess()) {
                    largeHandshakes.succeeded(organization);
                }
            });
            return true;
        }
    }
}
