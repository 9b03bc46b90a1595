package dev.okr.webhooks.delivery;

import dev.okr.events.OutboxListener;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Wakes the poller. Signals that arrive while it works are coalesced into one. */
@Singleton
final class WakeUp implements OutboxListener {
    private static final long MILLI_NANOS = 1_000_000;

    /** No organisations are added when there are this many. Then a search costs little for each of them. */
    private static final int MAX_ORGANIZATIONS = 20;

    private final Set<UUID> organizations = new LinkedHashSet<>();
    private boolean raised;

    /** The time of the next scheduled search by {@code System.nanoTime()}. */
    private @Nullable Long scheduledNanos;

    /**
     * What woke the poller.
     *
     * @param committed organisations for which this replica has committed events
     * @param search whether other organisations may have work too
     */
    record Signal(List<UUID> committed, boolean search) {}

    @Override
    public synchronized void committed(Set<UUID> withEvents) {
        if (organizations.size() < MAX_ORGANIZATIONS) {
            organizations.addAll(withEvents);
            notifyAll();
        } else {
            raise();
        }
    }

    /** Wakes the poller for a search. */
    synchronized void raise() {
        raised = true;
        notifyAll();
    }

    /** Schedules a search, unless an earlier one is already scheduled. */
    synchronized void raiseAfter(Duration delay) {
        long nanos = System.nanoTime() + delay.toNanos();
        if (scheduledNanos == null || nanos - scheduledNanos < 0) {
            scheduledNanos = nanos;
            notifyAll();
        }
    }

    /** Waits for a signal and clears it. */
    synchronized Signal await() throws InterruptedException {
        while (!raised && organizations.isEmpty() && !isSearchDue()) {
            if (scheduledNanos == null) {
                wait();
            } else {
                wait(Math.max(1, Math.ceilDiv(scheduledNanos - System.nanoTime(), MILLI_NANOS)));
            }
        }
        return take();
    }

    /** Clears the signal without waiting. */
    synchronized Signal take() {
        boolean due = isSearchDue();
        if (due) {
            scheduledNanos = null;
        }
        var signal = new Signal(List.copyOf(organizations), raised || due);
        organizations.clear();
        raised = false;
        return signal;
    }

    /**
     * Removes and returns an organisation for which this replica has committed events, the earliest first. Excluded ones
     * wait for a search.
     */
    synchronized Optional<UUID> takeCommitted(Set<UUID> excluded) {
        raised |= organizations.removeIf(excluded::contains);
        var first = organizations.stream().findFirst();
        first.ifPresent(organizations::remove);
        return first;
    }

    private boolean isSearchDue() {
        return scheduledNanos != null && scheduledNanos - System.nanoTime() <= 0;
    }
}
