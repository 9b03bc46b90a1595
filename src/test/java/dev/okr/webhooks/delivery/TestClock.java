package dev.okr.webhooks.delivery;

import dev.okr.platform.time.UtcClock;
import jakarta.annotation.Priority;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Alternative;
import java.time.Duration;
import java.time.Instant;

/** The clock of the service in the test's JVM, which tests can put forward, or let go wrong. */
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

    /** Lets time pass, for all replicas. */
    void advance(Duration time) {
        offset = offset.plus(time);
    }

    /** Has this replica's clock be wrong by so much. */
    public void err(Duration by) {
        error = by;
    }

    public void reset() {
        offset = Duration.ZERO;
        error = Duration.ZERO;
    }
}
