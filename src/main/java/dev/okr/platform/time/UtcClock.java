package dev.okr.platform.time;

import jakarta.enterprise.context.ApplicationScoped;
import java.time.Clock;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/** The moment, in the microseconds that PostgreSQL keeps. */
@ApplicationScoped
public class UtcClock {
    private final Clock clock = Clock.systemUTC();

    public Instant now() {
        return clock.instant().truncatedTo(ChronoUnit.MICROS);
    }

    /**
     * What the database's clock says is this late. It is the one clock that all replicas have: what one of them does at a
     * moment that another has set goes by it, or a replica whose clock is ahead would take the work of all others away.
     */
    public Instant shared(Instant databaseNow) {
        return databaseNow;
    }
}
