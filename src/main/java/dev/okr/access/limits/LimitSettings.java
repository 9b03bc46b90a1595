package dev.okr.access.limits;

import io.quarkus.runtime.configuration.ConfigurationException;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import org.eclipse.microprofile.config.inject.ConfigProperty;

/** The configured rate limits. */
@Singleton
class LimitSettings {
    private static final String REQUESTS = "okr.rate-limit.requests-per-minute";
    private static final String FAILED_AUTHENTICATIONS = "okr.rate-limit.failed-authentications-per-minute";
    private static final int MAX = 1_000_000;

    private final int requestsPerMinute;
    private final int failedAuthenticationsPerMinute;

    @Inject
    LimitSettings(
            @ConfigProperty(name = REQUESTS, defaultValue = "1500") int requestsPerMinute,
            @ConfigProperty(name = FAILED_AUTHENTICATIONS, defaultValue = "60") int failedAuthenticationsPerMinute) {
        check(REQUESTS, requestsPerMinute);
        check(FAILED_AUTHENTICATIONS, failedAuthenticationsPerMinute);
        this.requestsPerMinute = requestsPerMinute;
        this.failedAuthenticationsPerMinute = failedAuthenticationsPerMinute;
    }

    /** The quota of an API key. 0 means no limit. */
    int requestsPerMinute() {
        return requestsPerMinute;
    }

    /** The quota of a client address. 0 means no limit. */
    int failedAuthenticationsPerMinute() {
        return failedAuthenticationsPerMinute;
    }

    private static void check(String property, int value) {
        if (value < 0 || value > MAX) {
            throw new ConfigurationException("%s must be from 0 to %d".formatted(property, MAX));
        }
    }
}
