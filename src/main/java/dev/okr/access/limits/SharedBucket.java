package dev.okr.access.limits;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * One replica's view of the bucket that all replicas share. Between two synchronisations it goes by what was left at
 * the last one, and takes each request for as many as there are replicas that use the key: going by its own alone,
 * every replica would give the whole bucket away. What they still admit beyond it is a debt of the shared bucket, which
 * the next synchronisation shows to all.
 */
final class SharedBucket {
    /** After so long without a word from the others, what they did last says nothing of what they will do. */
    private static final Duration MAX_FORESIGHT = Duration.ofSeconds(5);

    private static final double NANOS_PER_SECOND = 1e9;

    private final ApiKeyId key;
    private final TokenBucket view;
    private int consumed;
    private int reported;

    /** For how many requests of all replicas one of this replica stands. */
    private double share = 1;

    private double others;
    private @Nullable Left last;
    private long lastNanos;

    SharedBucket(ApiKeyId key, int capacity, long nowNanos) {
        this.key = key;
        this.view = new TokenBucket(capacity, nowNanos);
    }

    /**
     * What all replicas have left.
     *
     * @param reports how often replicas have reported to the bucket, this time included
     */
    record Left(double tokens, long reports) {}

    ApiKeyId key() {
        return key;
    }

    /** @param replicas how many there are, this one included */
    synchronized Quota take(int replicas, long nowNanos) {
        if (last == null || nowNanos - lastNanos > MAX_FORESIGHT.toNanos()) {
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

    /** Begins a synchronisation: what was consumed since the last one began. */
    synchronized int report() {
        reported += consumed;
        consumed = 0;
        return reported;
    }

    /** Ends a synchronisation with what all replicas have left; without one, the next report has it all again. */
    synchronized void synchronise(Left left, int replicas, long nowNanos) {
        share = share(left, replicas, nowNanos);
        view.reset(left.tokens() - consumed * share, nowNanos);
        reported = 0;
        last = left;
        lastNanos = nowNanos;
    }

    /**
     * A replica that uses the key reports once a second. What it consumes becomes known a second late, so each counts as
     * much as this one, and still does when it happened to report just before and just after a second.
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
