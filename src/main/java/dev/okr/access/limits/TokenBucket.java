package dev.okr.access.limits;

import java.time.Duration;

/**
 * A token bucket that holds the quota of one window and is refilled continuously. Callers pass the time of
 * {@link System#nanoTime}. Not thread-safe.
 */
final class TokenBucket {
    /** The window of the request quotas. */
    static final Duration WINDOW = Duration.ofMinutes(1);

    private static final double NANOS_PER_SECOND = 1e9;

    private final int capacity;
    private final Duration window;
    private double tokens;
    private long asOfNanos;

    /** The quota of one minute. */
    TokenBucket(int capacity, long nowNanos) {
        this(capacity, WINDOW, nowNanos);
    }

    TokenBucket(int capacity, Duration window, long nowNanos) {
        this.capacity = capacity;
        this.window = window;
        this.tokens = capacity;
        this.asOfNanos = nowNanos;
    }

    int capacity() {
        return capacity;
    }

    /** Takes the cost of a request if at least one token is left. The bucket may be in debt afterwards. */
    boolean take(double cost, long nowNanos) {
        if (tokens(nowNanos) < 1) {
            return false;
        }
        tokens -= cost;
        return true;
    }

    /** Takes a cost that is already spent. The bucket may be in debt afterwards. */
    void charge(double cost, long nowNanos) {
        tokens = tokens(nowNanos) - cost;
    }

    double tokens(long nowNanos) {
        tokens = Math.min(capacity, tokens + refill(asOfNanos, nowNanos));
        asOfNanos = nowNanos;
        return tokens;
    }

    void reset(double toTokens, long nowNanos) {
        tokens = toTokens;
        asOfNanos = nowNanos;
    }

    /** The tokens that are added between two times. */
    double refill(long fromNanos, long untilNanos) {
        return Math.max(0, untilNanos - fromNanos) / NANOS_PER_SECOND * capacity / window.toSeconds();
    }

    /** The state after a request was allowed or rejected. */
    Quota quota(boolean admitted, long nowNanos) {
        double left = tokens(nowNanos);
        return new Quota(
                admitted, capacity, (int) Math.max(0, Math.floor(left)), seconds(1 - left), seconds(capacity - left));
    }

    /** The time in whole seconds until this many tokens are added. */
    private int seconds(double missing) {
        return (int) Math.max(0, Math.ceil(missing * window.toSeconds() / capacity));
    }
}
