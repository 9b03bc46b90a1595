package dev.okr.access.limits;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.okr.platform.errors.Failure;
import java.time.Duration;
import java.util.UUID;
import java.util.function.LongSupplier;

/**
 * Limits the bytes of the request bodies of each organisation, because the database stores most of them for days. One
 * user may use half of the quota, so that other users can still send data. Each replica counts in its own memory. So with
 * several replicas, an organisation can send a multiple of the quota.
 */
final class ByteQuotas {
    private static final Duration WINDOW = Duration.ofHours(1);

    /** The unit of the buckets, because their capacity in bytes can exceed an int. */
    private static final double BYTES_PER_TOKEN = 1 << 10;

    private static final int TOKENS_PER_MEGABYTE = 1 << 10;

    private static final int PART_FOR_USER = 2;

    /**
     * The maximum number of organisations and users with a bucket in memory. Above it, the cache evicts buckets. An
     * evicted bucket is full when it is used again.
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
     * Charges a body. The last body may exceed the quota. Otherwise a body that is larger than the quota could never be
     * sent. With 0 bytes, the call only checks the quota.
     *
     * @throws Failure if the quota is used up. Nothing is charged then.
     */
    synchronized void charge(UUID organizationId, UUID userId, long bytes) {
        if (capacity > 0) {
            var ofUser = bucket(userId, capacity / PART_FOR_USER);
            var ofOrganization = bucket(organizationId, capacity);
            long nowNanos = nanoTime.getAsLong();
            require(ofUser, "This user", nowNanos);
            require(ofOrganization, "This organisation", nowNanos);
            ofUser.take(bytes / BYTES_PER_TOKEN, nowNanos);
            ofOrganization.take(bytes / BYTES_PER_TOKEN, nowNanos);
        }
    }

    private TokenBucket bucket(UUID holder, int tokens) {
        return buckets.get(holder, id -> new TokenBucket(tokens, WINDOW, nanoTime.getAsLong()));
    }

    private static void require(TokenBucket bucket, String name, long nowNanos) {
        if (!bucket.take(0, nowNanos)) {
            throw Failure.dataQuotaExhausted(name, bucket.quota(false, nowNanos).retryAfter());
        }
    }
}
