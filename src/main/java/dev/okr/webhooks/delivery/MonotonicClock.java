package dev.okr.webhooks.delivery;

import java.time.Instant;

/** A clock that nobody sets: for what passes within this replica, when only the distance of moments counts. */
final class MonotonicClock {
    private MonotonicClock() {}

    static Instant now() {
        return Instant.EPOCH.plusNanos(System.nanoTime());
    }
}
