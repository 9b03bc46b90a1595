package dev.okr.webhooks.delivery;

import dev.okr.events.OutboxListener;
import jakarta.inject.Singleton;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Wakes the poller. Signals that arrive while it works are coalesced into one. */
@Singleton
final class WakeUp implements OutboxListener {
    private static final long MILLI_NANOS = 1_000_000;

    private boolean raised;

    /** The time of the next scheduled signal by {@code System.nanoTime()}. */
    private @Nullable Long scheduledNanos;

    @Override
    public void committed() {
        raise();
    }

    synchronized void raise() {
        raised = true;
        notifyAll();
    }

    /** Schedules a signal, unless an earlier one is already scheduled. */
    synchronized void raiseAfter(Duration delay) {
        long nanos = System.nanoTime() + delay.toNanos();
        if (scheduledNanos == null || nanos - scheduledNanos < 0) {
            scheduledNanos = nanos;
            notifyAll();
        }
    }

    /** Waits for a signal and clears it. */
    synchronized void await() throws InterruptedException {
        while (!raised) {
            if (scheduledNanos == null) {
                wait();
                continue;
            }
            long left = scheduledNanos - System.nanoTime();
            if (left > 0) {
                wait(Math.ceilDiv(left, MILLI_NANOS));
            } else {
                scheduledNanos = null;
                raised = true;
            }
        }
        raised = false;
    }
}
