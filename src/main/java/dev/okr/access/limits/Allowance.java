package dev.okr.access.limits;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/**
 * Allows each holder to use something for a part of the time. What a holder does not use is saved, up to a limit. A use
 * is counted when it ends, so it can exceed the allowance. The holder must then wait longer.
 *
 * @param <K> the holders
 */
public final class Allowance<K> {
    private final int part;
    private final long savedNanos;

    /**
     * Each use adds {@code part} times its length. While the value is in the future, the allowance is used up. On
     * average, there are at most {@code part} entries for each concurrent use.
     */
    private final Map<K, Long> endNanos = new HashMap<>();

    /**
     * @param part the holder may use 1/part of the time
     * @param saved the longest use that a holder can save
     */
    public Allowance(int part, Duration saved) {
        this.part = part;
        this.savedNanos = part * saved.toNanos();
    }

    public synchronized void use(K holder, long nanos, long nowNanos) {
        endNanos.values().removeIf(end -> nowNanos - end >= savedNanos);
        endNanos.merge(holder, nowNanos - savedNanos + part * nanos, (end, _) -> end + part * nanos);
    }

    public synchronized boolean isUsedUp(K holder, long nowNanos) {
        return endNanos.getOrDefault(holder, nowNanos) - nowNanos > 0;
    }
}
