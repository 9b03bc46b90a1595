package dev.okr.webhooks;

import dev.okr.access.limits.Allowance;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.ssl.DelegatingSslContext;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslProvider;
import io.vertx.core.net.JdkSSLEngineOptions;
import io.vertx.core.spi.tls.DefaultSslContextFactory;
import io.vertx.core.spi.tls.SslContextFactory;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.stream.Stream;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

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

    /**
     * The maximum that may arrive while a step of a handshake waits for the {@link HandshakeThread}. Until then, it stays
     * in direct memory.
     */
    private static final int MAX_WAITING_BYTES = 2 * MAX_BYTES;

    /**
     * No finite-field groups, and not secp521r1. A key exchange with 8,192 bits takes 70 ms of processor time. A handshake
     * with secp521r1 takes 11 ms, and one with x25519 takes 3 ms.
     */
    private static final String[] GROUPS = {"x25519", "secp256r1", "secp384r1"};

    /**
     * Java discards session tickets if this time exceeds seven days, the maximum lifetime of a ticket. Otherwise it keeps
     * each ticket in memory as long as the connection.
     */
    private static final int SESSION_SECONDS = (int) Duration.ofDays(8).toSeconds();

    /**
     * The maximum of all TLS messages after the handshake of a connection. Java keeps about 50 bytes of memory for each
     * message until the connection ends.
     */
    private static final int MAX_MESSAGE_BYTES = 8 * 1024;

    /** Session tickets and the end of the connection. They take less than {@link #COMMON_NANOS} each. */
    private static final int COMMON_MESSAGES = 4;

    private static final long COMMON_NANOS = Duration.ofMillis(1).toNanos();

    /** Longer times are pauses of the JVM or of the machine. */
    private static final long MAX_NANOS = Duration.ofMillis(150).toNanos();

    /** The receivers of an organisation may use a hundredth of the time of one event loop for other messages. */
    private static final int PART_FOR_MESSAGES = 100;

    private static final Duration SAVED_FOR_MESSAGES = Duration.ofMillis(200);

    /** Most parts of a handshake take less time, except in a JVM that has just started. */
    private static final long COMMON_HANDSHAKE_NANOS = Duration.ofMillis(20).toNanos();

    /** The receivers of an organisation may use a twentieth of the time of one thread for slow handshakes. */
    private static final int PART_FOR_HANDSHAKES = 20;

    private static final Duration SAVED_FOR_HANDSHAKES = Duration.ofSeconds(1);

    private static final int RECORD_HEADER_BYTES = 5;
    private static final int RECORD_LENGTH_INDEX = 3;

    private final LargeHandshakes largeHandshakes;
    private final HandshakeThread thread;

    /**
     * The time that TLS messages took after a handshake. A record of 16 KiB can contain 3,000 key updates, which take
     * 100 ms.
     */
    private final Allowance<String> messages;

    /** The time above {@link #COMMON_HANDSHAKE_NANOS}. Key updates can follow in the last record of a handshake. */
    private final Allowance<String> handshakes;

    TlsLimits() {
        this(
                new LargeHandshakes(),
                new HandshakeThread(),
                new Allowance<>(PART_FOR_MESSAGES, SAVED_FOR_MESSAGES),
                new Allowance<>(PART_FOR_HANDSHAKES, SAVED_FOR_HANDSHAKES));
    }

    private TlsLimits(
            LargeHandshakes largeHandshakes,
            HandshakeThread thread,
            Allowance<String> messages,
            Allowance<String> handshakes) {
        this.largeHandshakes = largeHandshakes;
        this.thread = thread;
        this.messages = messages;
        this.handshakes = handshakes;
    }

    @Override
    public TlsLimits copy() {
        return new TlsLimits(largeHandshakes, thread, messages, handshakes);
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
            var context = super.create();
            context.sessionContext().setSessionTimeout(SESSION_SECONDS);
            return new Context(context);
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
            return new Handler(newEngine(allocator, host, port), new Steps(host));
        }

        @Override
        protected void initEngine(SSLEngine engine) {
            var parameters = engine.getSSLParameters();
            parameters.setNamedGroups(GROUPS);
            parameters.setCipherSuites(Stream.of(parameters.getCipherSuites())
                    .filter(suite -> !suite.contains("_DHE_"))
                    .toArray(String[]::new));
            engine.setSSLParameters(parameters);
        }
    }

    /** Runs the steps of one handshake on the {@link HandshakeThread}, and charges their time. */
    private final class Steps implements Executor {
        private final String host;
        private @Nullable Channel connection;
        private boolean hasBegun;

        Steps(String host) {
            this.host = host;
        }

        /** A connection through a proxy is to the proxy. So each host has a share instead of the organisation. */
        String holder() {
            var server = connection == null ? null : connection.remoteAddress();
            return server == null ? host : WebhookSender.organization(server).orElse(host);
        }

        @Override
        public void execute(Runnable step) {
            var holder = holder();
            var channel = connection;
            boolean isFirst = !hasBegun;
            hasBegun = true;
            thread.execute(holder, isFirst, () -> {
                if (channel != null && !channel.isOpen()) {
                    return;
                }
                long startNanos = System.nanoTime();
                try {
                    step.run();
                } finally {
                    use(handshakes, holder, System.nanoTime() - startNanos - COMMON_HANDSHAKE_NANOS);
                }
            });
        }
    }

    private final class Handler extends SslHandler {
        private final Steps steps;
        private final Plaintext plaintext = new Plaintext();
        private int parts;
        private int handshakeBytes;
        private int messageRecords;
        private int messageBytes;
        private boolean isLarge;

        Handler(SSLEngine engine, Steps steps) {
            super(engine, steps);
            this.steps = steps;
        }

        @Override
        public void handlerAdded(ChannelHandlerContext context) throws Exception {
            steps.connection = context.channel();
            super.handlerAdded(context);
            context.pipeline().addAfter(context.name(), null, plaintext);
        }

        /** A step can fail after the connection was closed. Netty would log its failure. */
        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable failure) throws Exception {
            if (!context.isRemoved()) {
                super.exceptionCaught(context, failure);
            }
        }

        /** Called for each record, and for each read with a part of a record, also while a step waits. */
        @Override
        protected void decode(ChannelHandlerContext context, ByteBuf bytes, List<Object> out) throws SSLException {
            boolean isHandshake = !handshakeFuture().isDone();
            var holder = steps.holder();
            if (++parts > MAX_PARTS
                    || isHandshake && bytes.readableBytes() > MAX_WAITING_BYTES
                    || isTooLarge(bytes)
                    || (isHandshake ? handshakes : messages).isUsedUp(holder, System.nanoTime())) {
                bytes.skipBytes(bytes.readableBytes());
                context.close();
                return;
            }
            int before = bytes.readableBytes();
            long startNanos = System.nanoTime();
            plaintext.hasArrived = false;
            try {
                super.decode(context, bytes, out);
            } finally {
                long nanos = System.nanoTime() - startNanos;
                int read = before - bytes.readableBytes();
                handshakeBytes += read;
                if (isHandshake) {
                    use(handshakes, holder, nanos - COMMON_HANDSHAKE_NANOS);
                } else if (!plaintext.hasArrived && read > 0) {
                    messageBytes += read;
                    boolean isCommon = ++messageRecords <= COMMON_MESSAGES && nanos <= COMMON_NANOS;
                    use(messages, holder, isCommon ? 0 : nanos);
                }
            }
            if (messageBytes > MAX_MESSAGE_BYTES) {
                context.close();
            }
        }

        /** Includes the record that has begun to arrive, because Java parses certificates when it is complete. */
        private boolean isTooLarge(ByteBuf bytes) {
            if (handshakeFuture().isDone() || bytes.readableBytes() < RECORD_HEADER_BYTES) {
                return false;
            }
            int record = RECORD_HEADER_BYTES + bytes.getUnsignedShort(bytes.readerIndex() + RECORD_LENGTH_INDEX);
            int total = handshakeBytes + record;
            isLarge = isLarge || total > MAX_COMMON_BYTES && total <= MAX_BYTES && tryLargeHandshake();
            return total > (isLarge ? MAX_BYTES : MAX_COMMON_BYTES);
        }

        private boolean tryLargeHandshake() {
            var organization = steps.holder();
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

    private static void use(Allowance<String> allowance, String holder, long nanos) {
        if (nanos > 0) {
            allowance.use(holder, Math.min(nanos, MAX_NANOS), System.nanoTime());
        }
    }

    /** Tells whether a record had plaintext. Otherwise it had TLS messages, for example key updates. */
    private static final class Plaintext extends ChannelInboundHandlerAdapter {
        private boolean hasArrived;

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            hasArrived = true;
            context.fireChannelRead(message);
        }
    }
}
