package dev.okr.webhooks.delivery;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Calls the dispatcher to work. Calls that come while it works are kept, and any number of them is one: it is woken
 * once for all.
 */
final class Signal {
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(60);

    private boolean events;
    private boolean due;
    private boolean room;
    private @Nullable Instant dueAt;
    private long allAfterNanos = Long.MAX_VALUE;

    /**
     * What calls for work.
     *
     * @param events there may be new events
     * @param due something may be due: a retry, or what another replica claimed and did not finish
     * @param room there may be room for more attempts
     */
    record Calls(boolean events, boolean due, boolean room) {}

    synchronized void raiseAll() {
        events = true;
        due = true;
        room = true;
        notifyAll();
    }

    synchronized void raiseEvents() {
        events = true;
        notifyAll();
    }

    /** An attempt ended, and there may be another to claim. */
    synchronized void raiseRoom() {
        room = true;
        notifyAll();
    }

    /** A retry is due at a moment. */
    synchronized void raiseDueAt(Instant at) {
        if (dueAt == null || at.isBefore(dueAt)) {
            dueAt = at;
            notifyAll();
        }
    }

    /** Whether there may be new events since the last call was taken; takes this one. */
    synchronized boolean takeEvents() {
        boolean taken = events;
        events = false;
        return taken;
    }

    synchronized void raiseAllAfter(Duration delay) {
        allAfterNanos = System.nanoTime() + delay.toNanos();
    }

    /** Waits for a call and takes all that there are. */
    synchronized Calls await(Instant now) throws InterruptedException {
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
            var moment = start.plusNanos(nanos - startNanos);
            if (dueAt != null && !dueAt.isAfter(moment)) {
                due = true;
                dueAt = null;
            }
            if (events || due || room) {
                return take();
            }
            sleep(
                    dueAt == null
                            ? LONGEST_WAIT.toNanos()
                            : Math.min(
                                    LONGEST_WAIT.toNanos(),
                                    Duration.between(moment, dueAt).toNanos()));
        }
    }

    private Calls take() {
        var calls = new Calls(events, due, room);
        events = false;
        due = false;
        room = false;
        return calls;
    }

    /** At least a millisecond: {@code wait(0)} would be for ever. */
    private void sleep(long nanos) throws InterruptedException {
        wait(Math.max(1, Math.ceilDiv(nanos, 1_000_000)));
    }
}
