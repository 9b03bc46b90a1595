package dev.okr.webhooks;

import io.quarkus.runtime.configuration.ConfigurationException;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.Optional;
import org.eclipse.microprofile.config.inject.ConfigProperty;

/** Configuration of outgoing webhook requests. */
@Singleton
public class SenderSettings {
    static final String REQUEST_TIMEOUT = "okr.webhooks.request-timeout";
    static final String MAX_CONCURRENCY = "okr.webhooks.max-concurrency";
    static final String PROXY = "okr.webhooks.proxy";
    static final String TLS_CONFIGURATION_NAME = "okr.webhooks.tls-configuration-name";

    private static final Duration MAX_REQUEST_TIMEOUT = Duration.ofMinutes(5);
    private static final Duration MAX_CONNECT_TIMEOUT = Duration.ofSeconds(5);
    private static final int MAX_MAX_CONCURRENCY = 65_536;

    private final Duration requestTimeout;
    private final int maxConcurrency;
    private final Optional<EgressProxy> proxy;
    private final Optional<String> tlsConfigurationName;
    private final String userAgent;

    @Inject
    public SenderSettings(
            @ConfigProperty(name = REQUEST_TIMEOUT, defaultValue = "PT15S") Duration requestTimeout,
            @ConfigProperty(name = MAX_CONCURRENCY, defaultValue = "512") int maxConcurrency,
            @ConfigProperty(name = PROXY) Optional<String> proxy,
            @ConfigProperty(name = TLS_CONFIGURATION_NAME) Optional<String> tlsConfigurationName,
            @ConfigProperty(name = "quarkus.application.name") String applicationName,
            @ConfigProperty(name = "quarkus.application.version") String applicationVersion) {
        if (requestTimeout.toMillis() < 1 || requestTimeout.compareTo(MAX_REQUEST_TIMEOUT) > 0) {
            throw new ConfigurationException(REQUEST_TIMEOUT + " must be from 1 ms to " + MAX_REQUEST_TIMEOUT);
        }
        if (maxConcurrency < 1 || maxConcurrency > MAX_MAX_CONCURRENCY) {
            throw new ConfigurationException(MAX_CONCURRENCY + " must be from 1 to " + MAX_MAX_CONCURRENCY);
        }
        this.requestTimeout = requestTimeout;
        this.maxConcurrency = maxConcurrency;
        this.proxy = proxy.filter(url -> !url.isBlank()).map(url -> EgressProxy.parse(url, PROXY));
        this.tlsConfigurationName = tlsConfigurationName.filter(name -> !name.isBlank());
        this.userAgent = applicationName + '/' + applicationVersion;
    }

    /** The time limit for an attempt, from the check of its target to the end of the response. */
    public Duration requestTimeout() {
        return requestTimeout;
    }

    Duration connectTimeout() {
        return requestTimeout.compareTo(MAX_CONNECT_TIMEOUT) < 0 ? requestTimeout : MAX_CONNECT_TIMEOUT;
    }

    /** The maximum number of concurrent attempts. Callers of the sender must enforce it. */
    public int maxConcurrency() {
        return maxConcurrency;
    }

    Optional<EgressProxy> proxy() {
        return proxy;
    }

    /** The name of the Quarkus TLS configuration for connections. If it is empty, the JVM's trust store applies. */
    Optional<String> tlsConfigurationName() {
        return tlsConfigurationName;
    }

    /** The value of the {@code User-Agent} header. */
    public String userAgent() {
        return userAgent;
    }
}
