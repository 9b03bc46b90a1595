package dev.okr.objectives.overview;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Lets only so many do something at the same moment. The others wait in the order in which they came, but not for long.
 */
final class ConcurrencyLimit {
    private final Semaphore free;
    private final Duration maxWait;

    ConcurrencyLimit(int atOnce, Duration maxWait) {
        this.free = new Semaphore(atOnce, true);
        this.maxWait = maxWait;
    }

    /** Waits for a turn and says whether it has come. Whoever got one {@linkplain #end ends} it. */
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
