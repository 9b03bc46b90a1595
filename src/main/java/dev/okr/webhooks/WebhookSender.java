package dev.okr.webhooks;

import dev.okr.platform.errors.Failure;
import dev.okr.platform.time.UtcClock;
import io.quarkus.runtime.StartupEvent;
import io.quarkus.runtime.configuration.ConfigurationException;
import io.quarkus.tls.CertificateUpdatedEvent;
import io.quarkus.tls.TlsConfigurationRegistry;
import io.quarkus.tls.runtime.config.TlsConfigUtils;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.http.impl.HttpClientConnection;
import io.vertx.core.net.SocketAddress;
import io.vertx.core.tracing.TracingPolicy;
import jakarta.annotation.PreDestroy;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jboss.logging.Logger;

/**
 * Sends one attempt of a delivery. It throws no exception, whatever the subscriber or the network does. It waits at
 * most for the request timeout, and reads at most {@link ResponseBody#MAX_BYTES}.
 *
 * <p>It connects to the address that was checked, so each name is looked up only once. It uses the client of Vert.x,
 * because the REST client does not accept an address. The REST client would look up the name again and block an event
 * loop. With a proxy, the proxy looks up the name.
 */
@ApplicationScoped
public class WebhookSender {
    private static final Logger LOG = Logger.getLogger(WebhookSender.class);

    private static final int KEEP_ALIVE_SECONDS = 30;

    /** Comes after the organisation in the names of servers. */
    private static final String AT = "@";

    private final Targets targets;
    private final Vertx vertx;
    private final UtcClock clock;
    private final SenderSettings settings;
    private final HttpClient client;

    private final ConcurrentMap<HttpConnection, Exchange> exchanges = new ConcurrentHashMap<>();

    /** The number of open connections. Vert.x limits the unused ones only for each address. */
    private final AtomicInteger connections = new AtomicInteger();

    WebhookSender(Targets targets, Vertx vertx, UtcClock clock, TlsConfigurationRegistry tls, SenderSettings settings) {
        this.targets = targets;
        this.vertx = vertx;
        this.clock = clock;
        this.settings = settings;
        this.client = vertx.httpClientBuilder()
                .with(options(tls))
                // Each address has its own pool, and all concurrent attempts may go to one address.
                .with(new PoolOptions().setHttp1MaxSize(settings.maxConcurrency()))
                .withConnectHandler(this::opened)
                .build();
    }

    /** Creates this bean at startup, so that malformed settings stop the service. */
    void start(@Observes StartupEvent started) {}

    @PreDestroy
    void close() {
        client.close();
    }

    /**
     * Vert.x calls it on the event loop of the connection, before it reads anything. So the limits also hold for a
     * subscriber that responds before the request, together with the end of the TLS handshake.
     */
    private void opened(HttpConnection opened) {
        var channel = ((HttpClientConnection) opened).channel();
        ReadLimit.add(channel);
        InterimResponses.skip(channel);
        connections.incrementAndGet();
        channel.closeFuture().addListener(closed -> connections.decrementAndGet());
    }

    /** Uses the certificates that the TLS configuration has loaded again for new connections. */
    void updateCertificates(@Observes CertificateUpdatedEvent updated) {
        if (settings.tlsConfigurationName().filter(updated.name()::equals).isPresent()) {
            client.updateSSLOptions(updated.tlsConfiguration().getSSLOptions())
                    .onFailure(failure -> LOG.errorf(
                            failure, "The new certificates of %s are not used for webhooks", updated.name()));
        }
    }

    /** Sends an attempt and waits for the outcome. Call it on a virtual thread, outside any transaction. */
    public AttemptOutcome send(OutgoingAttempt attempt) {
        long startNanos = System.nanoTime();
        try {
            var target = targets.check(attempt.url(), attempt.organizationId());
            var exchange = new Exchange(vertx, exchanges);
            var remaining = settings.requestTimeout().minus(since(startNanos));
            long timer = vertx.setTimer(Math.max(1, remaining.toMillis()), id -> exchange.expire());
            try {
                var received = exchange.send(client, request(target, attempt), attempt.body());
                return outcome(exchange, received.get(), startNanos);
            } catch (ExecutionException e) {
                LOG.debugf(e, "The request for event %s failed", attempt.messageId());
                return AttemptOutcome.failed(exchange.error(e), since(startNanos));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return AttemptOutcome.failed(exchange.error(e), since(startNanos));
            } finally {
                vertx.cancelTimer(timer);
                exchange.end();
            }
        } catch (RefusedTarget refused) {
            return AttemptOutcome.failed(refused.code(), since(startNanos));
        } catch (Failure resolverIsBusy) {
            return AttemptOutcome.failed(ConnectionFailure.UNRESOLVABLE, since(startNanos));
        }
    }

    private RequestOptions request(Targets.Checked target, OutgoingAttempt attempt) {
        var url = target.url();
        var host = url.host().name();
        var request = new RequestOptions()
                .setMethod(HttpMethod.POST)
                .setSsl(url.secure())
                .setHost(host.indexOf(':') < 0 ? host : '[' + host + ']')
                .setPort(url.port())
                .setURI(url.requestTarget())
                .setFollowRedirects(false)
                .setTimeout(settings.requestTimeout().toMillis())
                .putHeader("Content-Type", "application/json")
                .putHeader("User-Agent", settings.userAgent())
                .putHeader("webhook-id", attempt.messageId())
                .putHeader("webhook-timestamp", String.valueOf(attempt.timestampSeconds()))
                .putHeader("webhook-signature", attempt.signature());
        if (settings.proxy().isEmpty()) {
            request.setServer(server(target.address(), url.port(), attempt.organizationId()));
        }
        // Vert.x would reuse a connection through the proxy for all organisations. If many connections are open, this
        // one
        // is not kept for reuse, because each needs memory.
        if (settings.proxy().isPresent() || connections.get() > settings.maxConcurrency()) {
            request.putHeader("Connection", "close");
        }
        return request;
    }

    /**
     * The address of a subscriber, with a name for the organisation. Vert.x reuses connections to servers of the same
     * name. A subscriber can send more responses than requests, and must not answer the requests of other
     * organisations.
     */
    private static SocketAddress server(InetAddress address, int port, UUID organizationId) {
        try {
            var name = organizationId + AT + address.getHostAddress();
            return SocketAddress.inetSocketAddress(
                    new InetSocketAddress(InetAddress.getByAddress(name, address.getAddress()), port));
        } catch (UnknownHostException e) {
            throw new IllegalStateException("The bytes of an address are no address.", e);
        }
    }

    /** The organisation of a connection, or empty if the connection is to a proxy. */
    static Optional<String> organization(java.net.SocketAddress server) {
        var name = server instanceof InetSocketAddress address ? address.getHostString() : "";
        return Optional.of(name.indexOf(AT)).filter(end -> end > 0).map(end -> name.substring(0, end));
    }

    /**
     * A 2xx counts only if the body was read without an error. Otherwise the attempt has failed, and the event is sent
     * again. The HTTP client accepts any number as a status. Other numbers must not create metrics.
     */
    private AttemptOutcome outcome(Exchange exchange, Exchange.Received received, long startNanos) {
        int status = received.response().statusCode();
        var failure = AttemptOutcome.isSuccess(status) ? received.failure() : null;
        var error = failure != null
                ? exchange.error(failure)
                : AttemptOutcome.isStatus(status) ? null : ConnectionFailure.INVALID_RESPONSE;
        return new AttemptOutcome(
                error == null ? status : null,
                error,
                since(startNanos),
                received.excerpt(),
                RetryAfter.parse(received.response().getHeader(RetryAfter.HEADER), clock.now()));
    }

    private static Duration since(long startNanos) {
        return Duration.ofNanos(System.nanoTime() - startNanos);
    }

    private HttpClientOptions options(TlsConfigurationRegistry tls) {
        var options = new HttpClientOptions();
        settings.tlsConfigurationName()
                .map(name -> tls.get(name)
                        .orElseThrow(() -> new ConfigurationException(
                                SenderSettings.TLS_CONFIGURATION_NAME + ": unknown TLS configuration \"" + name + '"')))
                .ifPresent(configuration -> TlsConfigUtils.configure(options, configuration));
        var connectTimeout = settings.connectTimeout();
        settings.proxy().ifPresent(proxy -> options.setProxyOptions(proxy.options(connectTimeout)));
        return options.setProtocolVersion(HttpVersion.HTTP_1_1)
                .setUseAlpn(false)
                // Subscribers must not get trace headers. Traces must not contain target URLs, which may be secret.
                .setTracingPolicy(TracingPolicy.IGNORE)
                .setConnectTimeout((int) connectTimeout.toMillis())
                .setKeepAliveTimeout(KEEP_ALIVE_SECONDS)
                .setSslHandshakeTimeout(connectTimeout.toMillis())
                .setSslHandshakeTimeoutUnit(TimeUnit.MILLISECONDS)
                // Otherwise, Vert.x ignores the engine options. Each request still chooses whether it uses TLS.
                .setSsl(true)
                .setSslEngineOptions(new TlsLimits());
    }
}
