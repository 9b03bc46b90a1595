package dev.okr.access.limits;

import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.UUID;

/**
 * Limits how many organisations do something at the same time. Each one does it once at a time, so one organisation
 * never takes all permits. The lock of this object guards the set.
 */
public final class ConcurrencyLimit {
    private final int atOnce;
    private final Duration maxWait;
    private final Set<UUID> running = new HashSet<>();

    public ConcurrencyLimit(int atOnce, Duration maxWait) {
        this.atOnce = atOnce;
        this.maxWait = maxWait;
    }

    /** Waits for a permit. If it returns true, the caller must call {@link #end} afterwards. */
    public synchronized boolean begin(UUID organization) {
        long deadline = System.nanoTime() + maxWait.toNanos();
        while (running.size() >= atOnce || running.contains(organization)) {
            long millis = Duration.ofNanos(deadline - System.nanoTime()).toMillis();
            if (millis <= 0) {
                return false;
            }
            try {
                wait(millis);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return false;
            }
        }
        return running.add(organization);
    }

    public synchronized void end(UUID organization) {
        running.remove(organization);
        notifyAll();
    }
}
