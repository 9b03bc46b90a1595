package dev.okr.access.limits;

import io.quarkus.runtime.configuration.ConfigurationException;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.time.Duration;
import org.eclipse.microprofile.config.inject.ConfigProperty;

/** The configured limits. Their defaults are in {@code application.properties}. */
@Singleton
class LimitSettings {
    private static final String REQUESTS = "okr.rate-limit.requests-per-minute";
    private static final String FAILED_AUTHENTICATIONS = "okr.rate-limit.failed-authentications-per-minute";
    private static final String CONCURRENT = "okr.limits.concurrent-requests";
    private static final String HEAD = "okr.limits.request-head";
    private static final String DEADLINE = "okr.limits.request-deadline";
    private static final int MAX_COUNT = 1_000_000;
    private static final Duration MAX_TIME = Duration.ofHours(1);

    /** The quota of an API key. 0 means no limit. */
    final int requestsPerMinute;

    /** The quota of a client address. 0 means no limit. */
    final int failedAuthenticationsPerMinute;

    /** The maximum number of concurrent requests. 0 means no limit. */
    final int concurrentRequests;

    /** The maximum time from the first byte of a request until its head is complete. */
    final Duration head;

    /** The maximum time from the head until the body is complete, and until the last database statement starts. */
    final Duration deadline;

    @Inject
    LimitSettings(
            @ConfigProperty(name = REQUESTS) int requestsPerMinute,
            @ConfigProperty(name = FAILED_AUTHENTICATIONS) int failedAuthenticationsPerMinute,
            @ConfigProperty(name = CONCURRENT) int concurrentRequests,
            @ConfigProperty(name = HEAD) Duration head,
            @ConfigProperty(name = DEADLINE) Duration deadline) {
        this.requestsPerMinute = count(REQUESTS, requestsPerMinute);
        this.failedAuthenticationsPerMinute = count(FAILED_AUTHENTICATIONS, failedAuthenticationsPerMinute);
        this.concurrentRequests = count(CONCURRENT, concurrentRequests);
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
