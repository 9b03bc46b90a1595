package dev.okr.access.limits;

import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Remembers which operations of each organisation wrote much JSON recently. The size of a response is not known before it
 * is read, but the next one is probably as large.
 */
final class LargeOperations {
    /** The service reads and writes this much within a few milliseconds. */
    private static final long LARGE_BYTES = 256 << 10;

    private static final long MEMORY_NANOS = Duration.ofSeconds(20).toNanos();

    private record Key(UUID organizationId, Object operation) {}

    /** When each operation wrote much JSON for the last time. */
    private final Map<Key, Long> writtenNanos = new ConcurrentHashMap<>();

    /**
     * @param operation one of a small fixed set, because each one is remembered; null if it is not known
     * @param bytes how much JSON the operation wrote
     */
    void learn(UUID organizationId, @Nullable Object operation, long bytes) {
        if (operation != null && bytes > LARGE_BYTES) {
            long nowNanos = System.nanoTime();
            writtenNanos.values().removeIf(nanos -> nowNanos - nanos >= MEMORY_NANOS);
            writtenNanos.put(new Key(organizationId, operation), nowNanos);
        }
    }

    boolean isLarge(UUID organizationId, @Nullable Object operation) {
        if (operation == null || writtenNanos.isEmpty()) {
            return false;
        }
        var nanos = writtenNanos.get(new Key(organizationId, operation));
        return nanos != null && System.nanoTime() - nanos < MEMORY_NANOS;
    }
}
