package dev.okr.access.limits;

import io.quarkus.runtime.configuration.ConfigurationException;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.time.Duration;
import org.eclipse.microprofile.config.inject.ConfigProperty;

/** What the operator may set about single requests, whoever sends them. */
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

    /** How many requests are worked on at the same moment; 0 for no limit. */
    int concurrentRequests() {
        return concurrentRequests;
    }

    /** How long the head of a request may take to arrive. */
    Duration head() {
        return head;
    }

    /** How long after its head the body may take to arrive, and the service may begin something in the database. */
    Duration deadline() {
        return deadline;
    }

    private static void check(String property, Duration value) {
        if (!value.isPositive() || value.compareTo(MAX_TIME) > 0) {
            throw new ConfigurationException("%s must be longer than nothing, and at most an hour".formatted(property));
        }
    }
}
