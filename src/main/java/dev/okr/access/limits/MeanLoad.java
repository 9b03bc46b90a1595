package dev.okr.access.limits;

import java.time.Duration;

/** The number of running requests, and its exponentially weighted mean. */
class MeanLoad {
    /** The time constant of the mean. A value that is this old has the weight 1/e. Longer than any statement takes. */
    private static final double TIME_CONSTANT_NANOS = Duration.ofSeconds(10).toNanos();

    int running;
    private double mean;
    private long sinceNanos;

    MeanLoad(long nowNanos) {
        this.sinceNanos = nowNanos;
    }

    double at(long nowNanos) {
        return running + (mean - running) * Math.exp((sinceNanos - nowNanos) / TIME_CONSTANT_NANOS);
    }

    /** The logarithm of the load at time 0. If nothing runs, the order by rank is the order by load at any time. */
    double rank() {
        return Math.log(mean) + sinceNanos / TIME_CONSTANT_NANOS;
    }

    void add(int difference, long nowNanos) {
        mean = at(nowNanos);
        sinceNanos = nowNanos;
        running += difference;
    }
}
