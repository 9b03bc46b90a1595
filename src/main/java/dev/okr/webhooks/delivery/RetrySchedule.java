package dev.okr.webhooks.delivery;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.DoubleSupplier;
import org.jspecify.annotations.Nullable;

/** When a delivery that failed is tried again (contract, section 4). */
final class RetrySchedule {
    private static final double JITTER = 0.1;

    private final List<Duration> delays;
    private final DoubleSupplier random;

    /** @param random evenly spread from 0 to 1, for the jitter that keeps many retries from coming at one moment */
    RetrySchedule(List<Duration> delays, DoubleSupplier random) {
        this.delays = List.copyOf(delays);
        this.random = random;
    }

    /**
     * The delay until the next attempt; empty when none is left.
     *
     * @param retries how many of the delays have been used up
     * @param retryAfter what the receiver asked for; the next attempt is not made earlier
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
