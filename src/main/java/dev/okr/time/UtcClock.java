package dev.okr.time;

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
}
