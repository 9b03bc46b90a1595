package dev.okr.access.limits;

import java.time.Duration;

/**
 * What is left of a quota, as the caller is told of it.
 *
 * @param remaining the requests that are left; never negative
 * @param secondsUntilNext the seconds until a refused request may be tried again
 * @param secondsUntilFull the seconds until the whole quota is there again
 */
public record Quota(boolean admitted, int capacity, int remaining, int secondsUntilNext, int secondsUntilFull) {
    public static final String POLICY_HEADER = "RateLimit-Policy";
    public static final String HEADER = "RateLimit";

    /** The policy, in the syntax of draft-ietf-httpapi-ratelimit-headers-10. */
    public String policy() {
        return "\"default\";q=%d;w=%d".formatted(capacity, TokenBucket.WINDOW.toSeconds());
    }

    /** The state: {@code t} is when the quota is whole again or, as the draft asks, what {@code Retry-After} says. */
    public String state() {
        return "\"default\";r=%d;t=%d".formatted(remaining, admitted ? secondsUntilFull : secondsUntilNext);
    }

    public Duration retryAfter() {
        return Duration.ofSeconds(secondsUntilNext);
    }
}
