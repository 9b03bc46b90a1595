package dev.okr.objectives.overview;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** Limits how many threads do something at the same time. The others wait in order, up to a maximum time. */
final class ConcurrencyLimit {
    private final Semaphore free;
    private final Duration maxWait;

    ConcurrencyLimit(int atOnce, Duration maxWait) {
        this.free = new Semaphore(atOnce, true);
        this.maxWait = maxWait;
    }

    /** Waits for a permit. If it returns true, the caller must call {@link #end} afterwards. */
    boolean begin() {
        try {
            return free.tryAcquire(maxWait.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    void end() {
        free.release();
    }
}
