package dev.okr.webhooks.delivery;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * Organisations that are not visited for some time, because their last visit failed. The time doubles with each failure
 * in a row. Callers pass the current time by {@link MonotonicClock}. Only one thread may use an instance.
 */
final class BackOff {
    private static final Duration FIRST = Duration.ofSeconds(1);
    private static final int MAX_DOUBLINGS = 5;

    private final Map<UUID, Failed> failed = new HashMap<>();

    private record Failed(int doublings, Instant until) {}

    List<UUID> organizations(Instant now) {
        return failed.entrySet().stream()
                .filter(each -> now.isBefore(each.getValue().until()))
                .map(Map.Entry::getKey)
                .toList();
    }

    void failed(UUID organization, Instant now) {
        var last = failed.get(organization);
        int doublings = last == null ? 0 : Math.min(MAX_DOUBLINGS, last.doublings() + 1);
        failed.put(organization, new Failed(doublings, now.plus(FIRST.multipliedBy(1L << doublings))));
    }

    void succeeded(UUID organization) {
        failed.remove(organization);
    }
}
