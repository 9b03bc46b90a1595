package dev.okr.webhooks.delivery;

import dev.okr.platform.time.UtcClock;
import jakarta.annotation.Priority;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Alternative;
import java.time.Duration;
import java.time.Instant;

/** The service's clock in the JVM of the test. Tests can advance it or make it wrong. */
@Alternative
@Priority(1)
@ApplicationScoped
public class TestClock extends UtcClock {
    private volatile Duration offset = Duration.ZERO;
    private volatile Duration error = Duration.ZERO;

    @Override
    public Instant now() {
        return super.now().plus(offset).plus(error);
    }

    @Override
    public Instant shared(Instant databaseNow) {
        return super.shared(databaseNow).plus(offset);
    }

    /** Keeps the time of the test. */
    @Override
    public Duration follow(Instant before, Instant databaseNow, Instant after) {
        return Duration.ZERO;
    }

    /** Advances the time of all replicas. */
    void advance(Duration time) {
        offset = offset.plus(time);
    }

    /** Shifts this replica's clock from the correct time. */
    public void err(Duration by) {
        error = by;
    }

    public void reset() {
        offset = Duration.ZERO;
        error = Duration.ZERO;
    }
}
