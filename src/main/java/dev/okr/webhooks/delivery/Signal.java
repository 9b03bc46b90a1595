package dev.okr.webhooks.delivery;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Wakes the dispatcher. Signals that arrive while it works are coalesced into one wake-up. */
final class Signal {
    private static final Duration MAX_WAIT = Duration.ofSeconds(60);

    private boolean events;
    private boolean due;
    private boolean capacity;
    private @Nullable Instant dueAt;
    private long allAfterNanos = Long.MAX_VALUE;

    /**
     * The kinds of work that there may be.
     *
     * @param events there may be new events
     * @param due there may be due retries or expired leases
     * @param capacity there may be free slots for attempts
     */
    record Wakeup(boolean events, boolean due, boolean capacity) {}

    synchronized void raiseAll() {
        events = true;
        due = true;
        capacity = true;
        notifyAll();
    }

    synchronized void raiseEvents() {
        events = true;
        notifyAll();
    }

    /** Signals that more deliveries can be claimed. */
    synchronized void raiseCapacity() {
        capacity = true;
        notifyAll();
    }

    /** Schedules a wake-up for a retry. */
    synchronized void raiseDueAt(Instant at) {
        if (dueAt == null || at.isBefore(dueAt)) {
            dueAt = at;
            notifyAll();
        }
    }

    /** Returns whether there may be new events, and clears this signal. */
    synchronized boolean takeEvents() {
        boolean taken = events;
        events = false;
        return taken;
    }

    synchronized void raiseAllAfter(Duration delay) {
        allAfterNanos = System.nanoTime() + delay.toNanos();
    }

    /** Waits for a signal, then returns and clears all signals. */
    synchronized Wakeup await(Instant now) throws InterruptedException {
        var start = now;
        long startNanos = System.nanoTime();
        while (true) {
            long nanos = System.nanoTime();
            if (allAfterNanos != Long.MAX_VALUE) {
                if (nanos < allAfterNanos) {
                    sleep(allAfterNanos - nanos);
                    continue;
                }
                allAfterNanos = Long.MAX_VALUE;
                raiseAll();
                return take();
            }
            var currentTime = start.plusNanos(nanos - startNanos);
            if (dueAt != null && !dueAt.isAfter(currentTime)) {
                due = true;
                dueAt = null;
            }
            if (events || due || capacity) {
                return take();
            }
            sleep(
                    dueAt == null
                            ? MAX_WAIT.toNanos()
                            : Math.min(
                                    MAX_WAIT.toNanos(),
                                    Duration.between(currentTime, dueAt).toNanos()));
        }
    }

    private Wakeup take() {
        var wakeup = new Wakeup(events, due, capacity);
        events = false;
        due = false;
        capacity = false;
        return wakeup;
    }

    /** Waits at least a millisecond, since {@code wait(0)} has no timeout. */
    private void sleep(long nanos) throws InterruptedException {
        wait(Math.max(1, Math.ceilDiv(nanos, 1_000_000)));
    }
}
