package dev.okr.access.limits;

import java.time.Duration;

/**
 * The state of a quota, for the response headers.
 *
 * @param remaining the requests that are left; never negative
 * @param secondsUntilNext the seconds until a rejected request may be retried
 * @param secondsUntilFull the seconds until the full quota is available
 */
public record Quota(boolean admitted, int capacity, int remaining, int secondsUntilNext, int secondsUntilFull) {
    public static final String POLICY_HEADER = "RateLimit-Policy";
    public static final String HEADER = "RateLimit";

    /** The policy, in the syntax of draft-ietf-httpapi-ratelimit-headers-10. */
    public String policy() {
        return "\"default\";q=%d;w=%d".formatted(capacity, TokenBucket.WINDOW.toSeconds());
    }

    /**
     * The state. {@code t} is the time until the quota is full. For a rejected request, it is the time until the retry.
     */
    public String state() {
        return "\"default\";r=%d;t=%d".formatted(remaining, admitted ? secondsUntilFull : secondsUntilNext);
    }

    public Duration retryAfter() {
        return Duration.ofSeconds(secondsUntilNext);
    }
}
