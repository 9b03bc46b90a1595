package dev.okr.access.limits;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.okr.platform.errors.Failure;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.UUID;
import java.util.function.LongSupplier;

/**
 * Limits the data that an organisation writes, because the database stores it for days. Request bodies count in full.
 * Events count in part. One user may use half of the quota, so that other users can still write. Each replica counts in
 * its own memory. So with several replicas, an organisation can write a multiple of the quota.
 */
@ApplicationScoped
public class ByteQuotas {
    private static final Duration WINDOW = Duration.ofHours(1);

    /** The unit of the buckets, because their capacity in bytes can exceed an int. */
    private static final double BYTES_PER_TOKEN = 1 << 10;

    private static final int TOKENS_PER_MEGABYTE = 1 << 10;

    private static final int PART_FOR_USER = 2;

    /** The events of a short change have several times the size of its body. So they cost about as much as the body. */
    private static final int CHARACTERS_OF_EVENTS_PER_BYTE = 4;

    /** A quarter of the longest note. */
    private static final int BYTES_PER_CHECK_IN = 1 << 10;

    /**
     * The maximum number of organisations and users with a bucket in memory. Above it, the cache evicts buckets. An
     * evicted bucket is full when it is used again.
     */
    private static final int MAX_BUCKETS = 20_000;

    private final int capacity;
    private final LongSupplier nanoTime;
    private final Cache<UUID, TokenBucket> buckets =
            Caffeine.newBuilder().maximumSize(MAX_BUCKETS).build();

    @Inject
    ByteQuotas(LimitSettings settings) {
        this(settings.megabytesPerHour, System::nanoTime);
    }

    /** @param megabytesPerHour 0 means no limit */
    ByteQuotas(int megabytesPerHour, LongSupplier nanoTime) {
        this.capacity = megabytesPerHour * TOKENS_PER_MEGABYTE;
        this.nanoTime = nanoTime;
    }

    /** @throws Failure if the quota is used up */
    public synchronized void require(UUID organizationId, UUID userId) {
        if (capacity > 0) {
            long nowNanos = nanoTime.getAsLong();
            require(ofUser(userId), "This user", nowNanos);
            require(ofOrganization(organizationId), "This organisation", nowNanos);
        }
    }

    /**
     * Charges data that was sent or written. The quota may become negative, because a body may be larger than the quota,
     * and the size of events is known only after they are written.
     */
    public synchronized void charge(UUID organizationId, UUID userId, long bytes) {
        if (capacity > 0) {
            ofUser(userId).charge(bytes / BYTES_PER_TOKEN, nanoTime.getAsLong());
            ofOrganization(organizationId).charge(bytes / BYTES_PER_TOKEN, nanoTime.getAsLong());
        }
    }

    /** Charges the stored events of a change. */
    public void chargeEvents(UUID organizationId, UUID userId, long characters) {
        charge(organizationId, userId, characters / CHARACTERS_OF_EVENTS_PER_BYTE);
    }

    /**
     * Charges the events of an import, if they are larger than usual for the size of its file. A few check-ins can change
     * thousands of objectives.
     *
     * @param bytes the size of the file without compression
     */
    public void chargeEventsOfImport(UUID organizationId, UUID userId, long characters, long bytes) {
        charge(organizationId, userId, Math.max(0, characters / CHARACTERS_OF_EVENTS_PER_BYTE - bytes));
    }

    /** Charges check-ins that are copied. */
    public void chargeCheckIns(UUID organizationId, UUID userId, long checkIns) {
        charge(organizationId, userId, BYTES_PER_CHECK_IN * checkIns);
    }

    private TokenBucket ofUser(UUID userId) {
        return bucket(userId, capacity / PART_FOR_USER);
    }

    private TokenBucket ofOrganization(UUID organizationId) {
        return bucket(organizationId, capacity);
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
