package dev.okr.access.limits;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.okr.platform.errors.Failure;
import java.time.Duration;
import java.util.UUID;
import java.util.function.LongSupplier;

/**
 * Limits the bytes of the request bodies of each organisation, because the database stores most of them for days. One
 * user may use half of the quota, so that others of the organisation can still send something. Each replica counts separately, in memory, so no request waits for it. With several replicas, an organisation can send a
 * multiple of the quota.
 */
final class ByteQuotas {
    private static final Duration WINDOW = Duration.ofHours(1);

    /** The unit of the buckets, because their capacity in bytes can exceed an int. */
    private static final double BYTES_PER_TOKEN = 1 << 10;

    private static final int TOKENS_PER_MEGABYTE = 1 << 10;

    private static final int PART_FOR_USER = 2;

    /**
     * The maximum number of organisations and users with a bucket in memory. Above it, the cache evicts buckets. One
     * whose bucket was evicted starts again with a full one.
     */
    private static final int MAX_BUCKETS = 20_000;

    private final int capacity;
    private final LongSupplier nanoTime;
    private final Cache<UUID, TokenBucket> buckets =
            Caffeine.newBuilder().maximumSize(MAX_BUCKETS).build();

    /** @param megabytesPerHour 0 means no limit */
    ByteQuotas(int megabytesPerHour) {
        this(megabytesPerHour, System::nanoTime);
    }

    ByteQuotas(int megabytesPerHour, LongSupplier nanoTime) {
        this.capacity = megabytesPerHour * TOKENS_PER_MEGABYTE;
        this.nanoTime = nanoTime;
    }

    /**
     * Charges a body. The last one may exceed the quota, so that a body larger than the quota can be sent at all. With 0
     * bytes, only checks the quota.
     *
     * @throws Failure if the quota is used up. Nothing is charged then.
     */
    void charge(UUID organizationId, UUID userId, long bytes) {
        if (capacity > 0) {
            // Refused bodies do not count, so nothing is taken before both have something left.
            take("This user", userId, capacity / PART_FOR_USER, 0);
            take("This organisation", organizationId, capacity, bytes);
            take("This user", userId, capacity / PART_FOR_USER, bytes);
        }
    }

    private void take(String name, UUID holder, int tokens, long bytes) {
        var bucket = buckets.get(holder, id -> new TokenBucket(tokens, WINDOW, nanoTime.getAsLong()));
        synchronized (bucket) {
            long nowNanos = nanoTime.getAsLong();
            if (!bucket.take(bytes / BYTES_PER_TOKEN, nowNanos)) {
                throw Failure.dataQuotaExhausted(
                        name, bucket.quota(false, nowNanos).retryAfter());
            }
        }
    }
}
