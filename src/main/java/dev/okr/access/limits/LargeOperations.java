package dev.okr.access.limits;

import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Remembers which operations of each organisation had large responses recently. Large responses take much processor time.
 * Their size is not known in advance, but the next response of the operation is probably as large.
 */
final class LargeOperations {
    /** Smaller responses take only a few milliseconds, so they are not limited. */
    private static final long LARGE_BYTES = 256 << 10;

    private static final long MEMORY_NANOS = Duration.ofSeconds(20).toNanos();

    private final LongSupplier nanoTime;

    private record Key(UUID organizationId, Object operation) {}

    /** When each operation wrote its last large response. */
    private final Map<Key, Long> writtenNanos = new ConcurrentHashMap<>();

    LargeOperations() {
        this(System::nanoTime);
    }

    LargeOperations(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /**
     * @param operation one of a small fixed set, because each one is remembered; null for a message to the tools
     * @param bytes the size of the response before compression
     */
    void learn(UUID organizationId, @Nullable Object operation, long bytes) {
        if (operation != null && bytes > LARGE_BYTES) {
            long nowNanos = nanoTime.getAsLong();
            writtenNanos.values().removeIf(nanos -> nowNanos - nanos >= MEMORY_NANOS);
            writtenNanos.put(new Key(organizationId, operation), nowNanos);
        }
    }

    boolean isLarge(UUID organizationId, @Nullable Object operation) {
        if (operation == null || writtenNanos.isEmpty()) {
            return false;
        }
        var nanos = writtenNanos.get(new Key(organizationId, operation));
        return nanos != null && nanoTime.getAsLong() - nanos < MEMORY_NANOS;
    }
}
