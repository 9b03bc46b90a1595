package dev.okr.access.limits;

import java.time.Duration;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The local view of a token bucket that all replicas share. Between two synchronisations, each request costs as many
 * tokens as there are replicas that use the key. Otherwise each replica would spend the whole bucket. If the replicas
 * together still allow too many requests, the shared bucket is in debt, and the next synchronisation shows this to all.
 */
final class SharedBucket {
    /** After this time without a synchronisation, all replicas are assumed to use the key. */
    private static final Duration MAX_ESTIMATE_AGE = Duration.ofSeconds(5);

    private static final double NANOS_PER_SECOND = 1e9;

    private final Key key;
    private final TokenBucket view;
    private int consumed;
    private int reported;

    /** The tokens that a request costs. This is the estimated number of replicas that use the key. */
    private double share = 1;

    private double others;
    private @Nullable Left last;
    private long lastNanos;

    SharedBucket(Key key, int capacity, long nowNanos) {
        this.key = key;
        this.view = new TokenBucket(capacity, nowNanos);
    }

    /** The API key whose quota this is. */
    record Key(UUID organizationId, UUID keyId) {}

    /**
     * The state of the shared bucket.
     *
     * @param reports the number of reports by all replicas, including this one
     */
    record Left(double tokens, long reports) {}

    Key key() {
        return key;
    }

    /** @param replicas the number of replicas, including this one */
    synchronized Quota take(int replicas, long nowNanos) {
        if (last == null || nowNanos - lastNanos > MAX_ESTIMATE_AGE.toNanos()) {
            share = replicas;
        }
        boolean admitted = view.take(share, nowNanos);
        if (admitted) {
            consumed++;
        }
        return view.quota(admitted, nowNanos);
    }

    synchronized Quota look(long nowNanos) {
        return view.quota(true, nowNanos);
    }

    /** Starts a synchronisation and returns the requests to report. */
    synchronized int report() {
        reported += consumed;
        consumed = 0;
        return reported;
    }

    /** Completes a synchronisation. If one fails, the next report includes its requests again. */
    synchronized void synchronise(Left left, int replicas, long nowNanos) {
        share = share(left, replicas, nowNanos);
        view.reset(left.tokens() - consumed * share, nowNanos);
        reported = 0;
        last = left;
        lastNanos = nowNanos;
    }

    /**
     * Estimates how many replicas use the key, from the number of reports. A replica that uses the key reports once a
     * second. The larger of two consecutive estimates is used. Two reports can fall into one interval, and none into
     * the next one.
     */
    private double share(Left left, int replicas, long nowNanos) {
        double before = others;
        if (last == null || left.reports() <= last.reports()) {
            others = replicas - 1;
            return replicas;
        }
        double seconds = Math.max(1, (nowNanos - lastNanos) / NANOS_PER_SECOND);
        others = Math.ceil((left.reports() - last.reports() - 1) / seconds);
        return Math.clamp(1 + Math.max(before, others), 1, replicas);
    }
}
