package dev.okr.access.limits;

import dev.okr.access.limits.Turns.Holder;
import dev.okr.access.limits.Turns.Turn;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * One of the two queues of a holder: its requests that are expected to be slow, or all others. The lock of {@link Turns}
 * guards it.
 */
final class TurnQueue<K> extends MeanLoad {
    /** A holder whose requests take less time than this on average has short requests. */
    private static final double SHORT_NANOS = Duration.ofMillis(100).toNanos();

    /** The weight of each request in the mean time. */
    private static final double WEIGHT_IN_MEAN = 1.0 / 16;

    final Holder<K> holder;
    final boolean isSlow;
    final Deque<Turn> waiting = new ArrayDeque<>();
    final Deque<Turn> runningTurns = new ArrayDeque<>();

    /** Updated when a request becomes the first of the queue, and when one ends or stops waiting. */
    boolean isAfterLong;

    /** Orders queues with equal loads. */
    long number;

    /** The mean time of its last requests. A new queue does not count as short. */
    private double meanNanos = Turns.LONG_NANOS;

    /** The end of the last long request in a kept turn. At first, the creation of the queue. */
    private long chargedUntilNanos;

    TurnQueue(Holder<K> holder, boolean isSlow, long nowNanos) {
        super(nowNanos);
        this.holder = holder;
        this.isSlow = isSlow;
        this.chargedUntilNanos = nowNanos;
    }

    /** The kinds of queues. Of each kind, the queue with the smallest load is next. */
    enum Kind {
        /** Its requests were short. */
        SHORT,
        /** Its requests were not short, or are not known yet. */
        OTHER,
        /** Its holder has used up its time for long requests in kept turns. */
        AFTER_LONG,
        /** Its requests are expected to be slow. */
        SLOW
    }

    Kind kind() {
        if (isSlow) {
            return Kind.SLOW;
        }
        if (isAfterLong) {
            return Kind.AFTER_LONG;
        }
        return meanNanos < SHORT_NANOS ? Kind.SHORT : Kind.OTHER;
    }

    void learn(long nanos) {
        meanNanos += (nanos - meanNanos) * WEIGHT_IN_MEAN;
    }

    /** Requests that are long at the same time count once. One lock can make all of them long. */
    long charge(long fromNanos, long nowNanos) {
        long nanos = Math.min(nowNanos - fromNanos, nowNanos - chargedUntilNanos);
        chargedUntilNanos = nowNanos;
        return nanos;
    }

    /** Whether the first request is one of {@link Turns#beginNext}. */
    boolean hasNext() {
        var first = waiting.peek();
        return first != null && first.isNext;
    }
}
