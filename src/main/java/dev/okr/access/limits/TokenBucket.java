package dev.okr.access.limits;

import java.time.Duration;

/**
 * A bucket of tokens that holds one minute's quota and is refilled continuously. It is told the time, as
 * {@link System#nanoTime} counts it. Not for several threads.
 */
final class TokenBucket {
    static final Duration WINDOW = Duration.ofMinutes(1);

    private static final double NANOS_PER_SECOND = 1e9;

    private final int capacity;
    private double tokens;
    private long asOfNanos;

    TokenBucket(int capacity, long nowNanos) {
        this.capacity = capacity;
        this.tokens = capacity;
        this.asOfNanos = nowNanos;
    }

    int capacity() {
        return capacity;
    }

    /** Takes a request's cost out, which may leave a debt, unless not even one token is left. */
    boolean take(double cost, long nowNanos) {
        if (tokens(nowNanos) < 1) {
            return false;
        }
        tokens -= cost;
        return true;
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

    /** The tokens that come in between two moments. */
    double refill(long fromNanos, long untilNanos) {
        return Math.max(0, untilNanos - fromNanos) / NANOS_PER_SECOND * capacity / WINDOW.toSeconds();
    }

    /** What the bucket looks like after a request was admitted or refused. */
    Quota quota(boolean admitted, long nowNanos) {
        double left = tokens(nowNanos);
        return new Quota(
                admitted, capacity, (int) Math.max(0, Math.floor(left)), seconds(1 - left), seconds(capacity - left));
    }

    /** How long so many tokens take to come in, in whole seconds. */
    private int seconds(double missing) {
        return (int) Math.max(0, Math.ceil(missing * WINDOW.toSeconds() / capacity));
    }
}
