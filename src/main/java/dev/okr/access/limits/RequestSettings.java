package dev.okr.access.limits;

import io.quarkus.runtime.configuration.ConfigurationException;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.time.Duration;
import org.eclipse.microprofile.config.inject.ConfigProperty;

/** The configured limits on single requests. */
@Singleton
class RequestSettings {
    private static final String CONCURRENT = "okr.limits.concurrent-requests";
    private static final String HEAD = "okr.limits.request-head";
    private static final String DEADLINE = "okr.limits.request-deadline";
    private static final int MAX_CONCURRENT = 1_000_000;
    private static final Duration MAX_TIME = Duration.ofHours(1);

    private final int concurrentRequests;
    private final Duration head;
    private final Duration deadline;

    @Inject
    RequestSettings(
            @ConfigProperty(name = CONCURRENT) int concurrentRequests,
            @ConfigProperty(name = HEAD) Duration head,
            @ConfigProperty(name = DEADLINE) Duration deadline) {
        if (concurrentRequests < 0 || concurrentRequests > MAX_CONCURRENT) {
            throw new ConfigurationException("%s must be from 0 to %d".formatted(CONCURRENT, MAX_CONCURRENT));
        }
        check(HEAD, head);
        check(DEADLINE, deadline);
        this.concurrentRequests = concurrentRequests;
        this.head = head;
        this.deadline = deadline;
    }

    /** The maximum number of concurrent requests. 0 means no limit. */
    int concurrentRequests() {
        return concurrentRequests;
    }

    /** The maximum time from the first byte of a request until its head is complete. */
    Duration head() {
        return head;
    }

    /** The maximum time from the head until the body is complete, and until the last database statement starts. */
    Duration deadline() {
        return deadline;
    }

    private static void check(String property, Duration value) {
        if (!value.isPositive() || value.compareTo(MAX_TIME) > 0) {
            throw new ConfigurationException("%s must be positive and at most one hour".formatted(property));
        }
    }
}
