package dev.okr.access.limits;

import io.quarkus.runtime.configuration.ConfigurationException;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.eclipse.microprofile.config.inject.ConfigProperty;

/** The configured limits. Their defaults are in {@code application.properties}. */
@Singleton
class LimitSettings {
    private static final String REQUESTS = "okr.rate-limit.requests-per-minute";
    private static final String MEGABYTES = "okr.rate-limit.megabytes-per-hour";
    private static final String FAILED_AUTHENTICATIONS = "okr.rate-limit.failed-authentications-per-minute";
    private static final String CONCURRENT = "okr.limits.concurrent-requests";
    private static final String PER_ADDRESS = "okr.limits.concurrent-requests-per-address";
    private static final String PER_ORGANIZATION = "okr.limits.concurrent-requests-per-organization";
    private static final String PER_KEY = "okr.limits.concurrent-requests-per-key";
    private static final String CONNECTIONS_PER_ADDRESS = "okr.limits.connections-per-address";
    private static final String CONNECTIONS = "quarkus.http.limits.max-connections";
    private static final String TRUSTED_PROXIES = "quarkus.http.proxy.trusted-proxies";
    private static final String DATABASE_CONNECTIONS = "quarkus.datasource.jdbc.max-size";
    private static final String WRITE = "okr.limits.response-stall";
    private static final String HEAD = "okr.limits.request-head";
    private static final String DEADLINE = "okr.limits.request-deadline";
    private static final int MAX_COUNT = 1_000_000;
    private static final Duration MAX_TIME = Duration.ofHours(1);

    /** The quota of an API key. 0 means no limit. */
    final int requestsPerMinute;

    /** The quota of an organisation for the bodies of its requests. 0 means no limit. */
    final int megabytesPerHour;

    /** The quota of a client address. 0 means no limit. */
    final int failedAuthenticationsPerMinute;

    /** The maximum number of concurrent requests. 0 means no limit. */
    final int concurrentRequests;

    /** The share of a client address in the concurrent requests. 0 means no limit, as for all shares. */
    final int requestsPerAddress;

    final int requestsPerOrganization;
    final int requestsPerKey;

    /** The maximum number of connections of a client address. 0 means no limit. */
    final int connectionsPerAddress;

    /** The maximum number of connections of all clients. */
    final int connections;

    /** The size of the connection pool. */
    final int databaseConnections;

    /** The proxies that send the address of the client in a header. */
    final List<String> trustedProxies;

    /** The maximum time in which the client takes one part of a response. */
    final Duration write;

    /** The maximum time from the first byte of a request until its head is complete. */
    final Duration head;

    /** The maximum time from the head until the body is complete, and until the last database statement starts. */
    final Duration deadline;

    @Inject
    LimitSettings(
            @ConfigProperty(name = REQUESTS) int requestsPerMinute,
            @ConfigProperty(name = MEGABYTES) int megabytesPerHour,
            @ConfigProperty(name = FAILED_AUTHENTICATIONS) int failedAuthenticationsPerMinute,
            @ConfigProperty(name = CONCURRENT) int concurrentRequests,
            @ConfigProperty(name = PER_ADDRESS) int requestsPerAddress,
            @ConfigProperty(name = PER_ORGANIZATION) int requestsPerOrganization,
            @ConfigProperty(name = PER_KEY) int requestsPerKey,
            @ConfigProperty(name = CONNECTIONS_PER_ADDRESS) int connectionsPerAddress,
            @ConfigProperty(name = CONNECTIONS) int connections,
            @ConfigProperty(name = DATABASE_CONNECTIONS) int databaseConnections,
            @ConfigProperty(name = TRUSTED_PROXIES) Optional<List<String>> trustedProxies,
            @ConfigProperty(name = WRITE) Duration write,
            @ConfigProperty(name = HEAD) Duration head,
            @ConfigProperty(name = DEADLINE) Duration deadline) {
        this.requestsPerMinute = count(REQUESTS, requestsPerMinute);
        this.megabytesPerHour = count(MEGABYTES, megabytesPerHour);
        this.failedAuthenticationsPerMinute = count(FAILED_AUTHENTICATIONS, failedAuthenticationsPerMinute);
        this.concurrentRequests = count(CONCURRENT, concurrentRequests);
        this.requestsPerAddress = count(PER_ADDRESS, requestsPerAddress);
        this.requestsPerOrganization = count(PER_ORGANIZATION, requestsPerOrganization);
        this.requestsPerKey = count(PER_KEY, requestsPerKey);
        this.connectionsPerAddress = count(CONNECTIONS_PER_ADDRESS, connectionsPerAddress);
        this.connections = connections;
        this.databaseConnections = databaseConnections;
        this.trustedProxies = trustedProxies.orElse(List.of());
        this.write = time(WRITE, write);
        this.head = time(HEAD, head);
        this.deadline = time(DEADLINE, deadline);
    }

    private static int count(String property, int value) {
        if (value < 0 || value > MAX_COUNT) {
            throw new ConfigurationException("%s must be from 0 to %d".formatted(property, MAX_COUNT));
        }
        return value;
    }

    private static Duration time(String property, Duration value) {
        if (!value.isPositive() || value.compareTo(MAX_TIME) > 0) {
            throw new ConfigurationException("%s must be positive and at most one hour".formatted(property));
        }
        return value;
    }
}
