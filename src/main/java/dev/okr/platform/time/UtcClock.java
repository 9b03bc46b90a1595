package dev.okr.platform.time;

import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/**
 * The current time in microseconds, the precision of PostgreSQL. It follows the clock of the database, so that the times
 * of all replicas agree even if the clocks of their machines differ.
 */
@ApplicationScoped
public class UtcClock {
    /** The time when {@code System.nanoTime()} was zero. So a step of the clock of this machine changes nothing. */
    private volatile Instant origin = Instant.now().minusNanos(System.nanoTime());

    public Instant now() {
        return origin.plusNanos(System.nanoTime()).truncatedTo(ChronoUnit.MICROS);
    }

    /**
     * Corrects this clock by as little as possible, so that it agrees with the clock of the database.
     *
     * @param before the time by this clock before {@code databaseNow} was read
     * @param after the time by this clock after it was read
     * @return the correction, which is zero if the clocks agree
     */
    public Duration follow(Instant before, Instant databaseNow, Instant after) {
        var correction = Duration.ZERO;
        if (databaseNow.isBefore(before)) {
            correction = Duration.between(before, databaseNow);
        } else if (databaseNow.isAfter(after)) {
            correction = Duration.between(after, databaseNow);
        }
        origin = origin.plus(correction);
        return correction;
    }

    /**
     * The current time by the database's clock, which all replicas share. Use it for times that one replica sets and
     * another one compares. {@link #now} can be wrong for some seconds after the clock of the database changes, or after
     * this machine was suspended. A replica whose clock is ahead would take the work of all others, or delete their
     * rows. Only the clock of tests returns another time.
     */
    public Instant shared(Instant databaseNow) {
        return databaseNow;
    }
}
