package dev.okr.access.limits;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * The amount that each holder uses of a shared resource. A holder that uses nothing is not stored.
 *
 * @param <K> the holders
 */
public final class Shares<K> {
    private final ConcurrentMap<K, Long> used = new ConcurrentHashMap<>();

    /**
     * Takes an amount, unless the holder would then use more than the maximum. A holder that uses nothing gets any
     * amount. A maximum of 0 means no maximum.
     */
    public boolean take(K holder, long amount, long max) {
        // Each holder has its own sum, so adding before the check can reject only its own requests.
        long total = used.merge(holder, amount, Long::sum);
        boolean isWithin = total <= max || total == amount || max == 0;
        if (!isWithin) {
            release(holder, amount);
        }
        return isWithin;
    }

    long used(K holder) {
        return used.getOrDefault(holder, 0L);
    }

    public void release(K holder, long amount) {
        used.computeIfPresent(holder, (key, before) -> before == amount ? null : before - amount);
    }
}
