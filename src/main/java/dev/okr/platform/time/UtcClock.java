package dev.okr.platform.time;

import jakarta.enterprise.context.ApplicationScoped;
import java.time.Clock;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/** The current time in microseconds, the precision of PostgreSQL. */
@ApplicationScoped
public class UtcClock {
    private final Clock clock = Clock.systemUTC();

    public Instant now() {
        return clock.instant().truncatedTo(ChronoUnit.MICROS);
    }

    /**
     * The current time by the database's clock, which all replicas share. Use it for times that one replica sets and
     * another one compares. Otherwise a replica whose clock is ahead would take the work of all others, or delete their
     * rows. Only the clock of tests returns another time.
     */
    public Instant shared(Instant databaseNow) {
        return databaseNow;
    }
}
