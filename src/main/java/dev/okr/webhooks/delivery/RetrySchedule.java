package dev.okr.webhooks.delivery;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.DoubleSupplier;
import org.jspecify.annotations.Nullable;

/** The delays between the attempts of a delivery. */
final class RetrySchedule {
    private static final double JITTER = 0.1;

    private final List<Duration> delays;
    private final DoubleSupplier random;

    /** @param random uniformly distributed from 0 to 1, for the jitter that spreads retries */
    RetrySchedule(List<Duration> delays, DoubleSupplier random) {
        this.delays = List.copyOf(delays);
        this.random = random;
    }

    /**
     * The delay until the next attempt. Empty if there is no further attempt.
     *
     * @param retries the number of delays used so far
     * @param retryAfter the minimum delay that the receiver asked for
     */
    Optional<Duration> next(int retries, @Nullable Duration retryAfter) {
        if (retries >= delays.size()) {
            return Optional.empty();
        }
        double factor = 1 + JITTER * (2 * random.getAsDouble() - 1);
        var delay = Duration.ofMillis(Math.round(delays.get(retries).toMillis() * factor));
        return Optional.of(retryAfter != null && retryAfter.compareTo(delay) > 0 ? retryAfter : delay);
    }
}
