package dev.okr.deliveries;

import dev.okr.time.UtcClock;
import jakarta.annotation.Priority;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Alternative;
import java.time.Duration;
import java.time.Instant;

/** The clock of the service in the test's JVM, which tests can put forward. */
@Alternative
@Priority(1)
@ApplicationScoped
public class TestClock extends UtcClock {
    private volatile Duration offset = Duration.ZERO;

    @Override
    public Instant now() {
        return super.now().plus(offset);
    }

    void advance(Duration time) {
        offset = offset.plus(time);
    }

    void reset() {
        offset = Duration.ZERO;
    }
}
