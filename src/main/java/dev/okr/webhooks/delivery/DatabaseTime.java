package dev.okr.webhooks.delivery;

import java.time.Duration;
import java.time.Instant;

/**
 * One moment, read from two clocks.
 *
 * @param now the moment by the clock of the database, which all replicas share
 * @param monotonicNow the moment by {@link MonotonicClock}
 */
record DatabaseTime(Instant now, Instant monotonicNow) {
    static DatabaseTime at(Instant databaseNow) {
        return new DatabaseTime(databaseNow, MonotonicClock.now());
    }

    /** Converts a time of the {@link MonotonicClock}. */
    Instant of(Instant monotonic) {
        return now.minus(Duration.between(monotonic, monotonicNow));
    }
}
