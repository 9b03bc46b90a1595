package dev.okr.access.limits;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.okr.access.limits.BucketSynchroniser.Use;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.Optional;
import java.util.UUID;

/**
 * The limit on the requests of an API key, which all replicas share. Decisions use only memory, so no request waits for
 * the database, and requests are allowed while the database is unavailable. {@link BucketSynchroniser} shares the
 * buckets.
 */
@ApplicationScoped
public class RateLimits {
    /**
     * The maximum number of keys with a bucket in memory. Above it, the cache evicts buckets. A key whose bucket was
     * evicted starts again with a full one, until the next synchronisation.
     */
    private static final int MAX_BUCKETS = 100_000;

    private final BucketSynchroniser synchroniser;
    private final int requestsPerMinute;
    private final Cache<SharedBucket.Key, Use> buckets =
            Caffeine.newBuilder().maximumSize(MAX_BUCKETS).build();

    RateLimits(LimitSettings settings, BucketSynchroniser synchroniser) {
        this.synchroniser = synchroniser;
        this.requestsPerMinute = settings.requestsPerMinute;
    }

    /** Takes one request out of the quota. Returns empty if there is no limit. */
    public Optional<Quota> take(UUID organizationId, UUID keyId) {
        if (requestsPerMinute == 0) {
            return Optional.empty();
        }
        var use = use(organizationId, keyId);
        var quota = use.bucket().take(synchroniser.replicas(), System.nanoTime());
        if (quota.admitted()) {
            synchroniser.enqueue(use);
        }
        return Optional.of(quota);
    }

    /** Returns the state of the quota without taking a request, or empty if there is no limit. */
    public Optional<Quota> look(UUID organizationId, UUID keyId) {
        return requestsPerMinute == 0
                ? Optional.empty()
                : Optional.of(use(organizationId, keyId).bucket().look(System.nanoTime()));
    }

    private Use use(UUID organizationId, UUID keyId) {
        return buckets.get(
                new SharedBucket.Key(organizationId, keyId),
                key -> new Use(new SharedBucket(key, requestsPerMinute, System.nanoTime())));
    }
}
