package dev.okr.webhooks;

import dev.okr.platform.errors.Failure;
import dev.okr.platform.time.UtcClock;
import io.quarkus.rest.client.reactive.QuarkusRestClientBuilder;
import io.quarkus.runtime.StartupEvent;
import io.quarkus.runtime.configuration.ConfigurationException;
import io.quarkus.tls.TlsConfigurationRegistry;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.tracing.TracingPolicy;
import jakarta.annotation.PreDestroy;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import jakarta.ws.rs.client.ClientRequestContext;
import jakarta.ws.rs.client.ClientRequestFilter;
import jakarta.ws.rs.core.Response;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.URI;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import org.jboss.logging.Logger;
import org.jboss.resteasy.reactive.client.api.LoggingScope;
import org.jboss.resteasy.reactive.client.api.QuarkusRestClientProperties;
import org.jboss.resteasy.reactive.client.impl.RestClientRequestContext;
import org.jboss.resteasy.reactive.client.spi.ResteasyReactiveClientRequestContext;

/**
 * Sends one attempt of a delivery. It throws no exception, whatever the subscriber or the network does. It waits at
 * most for the request timeout, and reads at most {@link ResponseBody#MAX_BYTES}.
 *
 * <p>A target is checked twice. Before connecting, its URL and all addresses of its name must pass. Vert.x then
 * resolves the name again, and the answer may differ. The address of the connection is therefore checked too, before
 * any byte of the request is written. The first check prevents most connections and TLS handshakes with forbidden
 * targets, because both lookups use the cache of the JVM's resolver. With a proxy, the first check is the only one.
 */
@ApplicationScoped
public class WebhookSender {
    private static final Logger LOG = Logger.getLogger(WebhookSender.class);

    private static final int KEEP_ALIVE_SECONDS = 30;

    /** Passes the exchange from the calling thread to the Vert.x context of the request. */
    private static final ThreadLocal<Exchange> CURRENT = new ThreadLocal<>();

    private static final String EXCHANGE = Exchange.class.getName();

    private final Targets targets;
    private final Vertx vertx;
    private final UtcClock clock;
    private final SenderSettings settings;
    private final WebhookClient client;

    private final ConcurrentMap<HttpConnection, Exchange> exchanges = new ConcurrentHashMap<>();

    WebhookSender(Targets targets, Vertx vertx, UtcClock clock, TlsConfigurationRegistry tls, SenderSettings settings) {
        this.targets = targets;
        this.vertx = vertx;
        this.clock = clock;
        this.settings = settings;
        this.client = build(tls);
    }

    /** Creates this bean at startup, so that malformed settings stop the service. */
    void start(@Observes StartupEvent started) {}

    @PreDestroy
    void close() {
        try {
            ((Closeable) client).close();
        } catch (IOException e) {
            LOG.debug("The REST client was not closed", e);
        }
    }

    /** Sends an attempt and waits for the outcome. Call it on a virtual thread, outside any transaction. */
    public AttemptOutcome send(OutgoingAttempt attempt) {
        long startNanos = System.nanoTime();
        try {
            var target = targets.require(attempt.url());
            var exchange = new Exchange(vertx, exchanges, target.requestTarget());
            var remaining = settings.requestTimeout().minus(since(startNanos));
            long timer = vertx.setTimer(Math.max(1, remaining.toMillis()), id -> exchange.expire());
            try {
                return exchange(exchange, target, attempt, startNanos);
            } finally {
                vertx.cancelTimer(timer);
            }
        } catch (RefusedTarget refused) {
            return AttemptOutcome.failed(refused.code(), since(startNanos));
        } catch (Failure resolverIsBusy) {
            return AttemptOutcome.failed(ConnectionFailure.UNRESOLVABLE, since(startNanos));
        }
    }

    private AttemptOutcome exchange(Exchange exchange, TargetUrl target, OutgoingAttempt attempt, long startNanos) {
        CURRENT.set(exchange);
        try {
            // The response is not closed, since closing reads it to its end. The exchange closes the connection
            // instead.
            var response = client.post(
                    server(target),
                    attempt.messageId(),
                    attempt.timestampSeconds(),
                    attempt.signature(),
                    attempt.body());
            var body = ResponseBody.read(response.readEntity(InputStream.class));
            var outcome = outcome(exchange, response, body, startNanos);
            exchange.end(body.ended());
            return outcome;
        } catch (RuntimeException e) {
            LOG.debugf(e, "The request for event %s failed", attempt.messageId());
            if (e.getCause() instanceof InterruptedException) {
                Thread.currentThread().interrupt();
            }
            return AttemptOutcome.failed(exchange.error(e), since(startNanos));
        } finally {
            CURRENT.remove();
            exchange.end(false);
        }
    }

    /**
     * A 2xx counts only if the body was read without an error. Otherwise the attempt has failed, and the event is sent
     * again.
     */
    private AttemptOutcome outcome(Exchange exchange, Response response, ResponseBody body, long startNanos) {
        int status = response.getStatus();
        var failure = AttemptOutcome.isSuccess(status) ? body.failure() : null;
        return new AttemptOutcome(
                failure == null ? status : null,
                failure == null ? null : exchange.error(failure),
                since(startNanos),
                body.excerpt(),
                RetryAfter.parse(response.getHeaderString(RetryAfter.HEADER), clock.now()));
    }

    private static URI server(TargetUrl target) {
        var host = target.host().name();
        return URI.create("%s://%s:%d/"
                .formatted(
                        target.secure() ? "https" : "http",
                        host.indexOf(':') < 0 ? host : '[' + host + ']',
                        target.port()));
    }

    private static Duration since(long startNanos) {
        return Duration.ofNanos(System.nanoTime() - startNanos);
    }

    private WebhookClient build(TlsConfigurationRegistry tls) {
        var connectTimeout = settings.connectTimeout();
        var builder = QuarkusRestClientBuilder.newBuilder()
                .baseUri(URI.create("http://localhost/")) // Each call replaces this URL.
                .userAgent(settings.userAgent())
                .followRedirects(false)
                .disableDefaultMapper(true)
                .enableCompression(false)
                .loggingScope(LoggingScope.NONE)
                .trustAll(false)
                .connectTimeout(connectTimeout.toMillis(), TimeUnit.MILLISECONDS)
                .readTimeout(settings.requestTimeout().toMillis(), TimeUnit.MILLISECONDS)
                // Each host has its own pool, and all concurrent attempts may go to one host.
                .property(QuarkusRestClientProperties.CONNECTION_POOL_SIZE, settings.maxConcurrency())
                .httpClientOptionsCustomizer(options -> configure(options, connectTimeout))
                .httpClientRequestCustomizer(this::startExchange)
                .register(new ExchangeFilter());
        settings.proxy()
                .ifPresentOrElse(
                        proxy -> proxy.configure(builder, connectTimeout),
                        // Without this, the JVM's system properties for proxies apply.
                        () -> builder.proxyAddress("none", 0));
        settings.tlsConfigurationName()
                .map(name -> tls.get(name)
                        .orElseThrow(() -> new ConfigurationException(
                                SenderSettings.TLS_CONFIGURATION_NAME + ": unknown TLS configuration \"" + name + '"')))
                .ifPresent(builder::tlsConfiguration);
        return builder.build(WebhookClient.class);
    }

    private void configure(HttpClientOptions options, Duration connectTimeout) {
        options.setProtocolVersion(HttpVersion.HTTP_1_1)
                .setUseAlpn(false)
                // Subscribers must not get trace headers. Traces must not contain target URLs, which may be secret.
                .setTracingPolicy(TracingPolicy.IGNORE)
                .setKeepAliveTimeout(KEEP_ALIVE_SECONDS)
                .setSslHandshakeTimeout(connectTimeout.toMillis())
                .setSslHandshakeTimeoutUnit(TimeUnit.MILLISECONDS);
    }

    /** Called for each request once it has a connection. It runs on an event loop, where exceptions are lost. */
    private void startExchange(HttpClientRequest request) {
        // Without these handlers Vert.x logs the failures, with texts that the subscriber can choose.
        request.exceptionHandler(failure -> {});
        request.connection().exceptionHandler(failure -> {});
        Exchange exchange = Objects.requireNonNull(Vertx.currentContext()).getLocal(EXCHANGE);
        exchange.start(request, settings.proxy().isPresent() || isAllowed(request.connection()));
    }

    private boolean isAllowed(HttpConnection connection) {
        var address = connection.remoteAddress(true).hostAddress();
        try {
            return address != null && targets.allows(InetAddress.ofLiteral(address));
        } catch (IllegalArgumentException notAnAddress) {
            return false;
        }
    }

    /** Attaches the exchange of the calling thread to the request. */
    private static final class ExchangeFilter implements ClientRequestFilter {
        @Override
        public void filter(ClientRequestContext requestContext) {
            var call = (ResteasyReactiveClientRequestContext) requestContext;
            var exchange = CURRENT.get();
            call.getContext().putLocal(EXCHANGE, exchange);
            exchange.await(call.unwrap(RestClientRequestContext.class).getResult());
        }
    }
}
