package dev.okr.access.limits;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.okr.access.limits.Synchroniser.Use;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.Optional;
import java.util.UUID;

/**
 * The limit on the requests of an API key. Decisions use only memory, so no request waits for the database, and
 * requests are allowed while the database is unavailable.
 */
@ApplicationScoped
public class RateLimits {
    /** The number of keys with a bucket in memory. Beyond it, the cache drops a bucket. A new bucket is full. */
    private static final int MAX_BUCKETS = 100_000;

    private final Synchroniser synchroniser;
    private final int requestsPerMinute;
    private final Cache<ApiKeyId, Use> buckets =
            Caffeine.newBuilder().maximumSize(MAX_BUCKETS).build();

    RateLimits(LimitSettings settings, Synchroniser synchroniser) {
        this.synchroniser = synchroniser;
        this.requestsPerMinute = settings.requestsPerMinute();
    }

    /** Takes one request out of the quota. Returns empty if there is no limit. */
    public Optional<Quota> take(UUID organizationId, UUID keyId) {
        if (requestsPerMinute == 0) {
            return Optional.empty();
        }
        var use = use(organizationId, keyId);
        var quota = use.bucket().take(synchroniser.replicas(), System.nanoTime());
        if (quota.admitted()) {
            synchroniser.used(use);
        }
        return Optional.of(quota);
    }

    /** Returns the state of the quota without taking a request, or empty if there is no limit. */
    public Optional<Quota> look(UUID organizationId, UUID keyId) {
        if (requestsPerMinute == 0) {
            return Optional.empty();
        }
        return Optional.of(use(organizationId, keyId).bucket().look(System.nanoTime()));
    }

    private Use use(UUID organizationId, UUID keyId) {
        return buckets.get(
                new ApiKeyId(organizationId, keyId),
                key -> new Use(new SharedBucket(key, requestsPerMinute, System.nanoTime())));
    }
}
