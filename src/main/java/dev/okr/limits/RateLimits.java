package dev.okr.limits;

import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.LoadingCache;
import dev.okr.limits.Synchroniser.Use;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;

/**
 * The limit on the requests of an API key (contract, section 5). The answer comes from memory alone, so that no
 * request waits for the database and all go on without it.
 */
@ApplicationScoped
public class RateLimits {
    private static final int MAX_BUCKETS = 100_000;

    /** Twice as long as an empty bucket takes to be full again; from then on it looks like one that was never used. */
    private static final Duration FORGOTTEN_AFTER = TokenBucket.WINDOW.multipliedBy(2);

    private final Synchroniser synchroniser;
    private final int requestsPerMinute;
    private final LoadingCache<ApiKeyId, Use> buckets;

    RateLimits(LimitSettings settings, Synchroniser synchroniser) {
        this.synchroniser = synchroniser;
        this.requestsPerMinute = settings.requestsPerMinute();
        this.buckets = Caffeine.newBuilder()
                .maximumSize(MAX_BUCKETS)
                .expireAfterAccess(FORGOTTEN_AFTER)
                .build(key -> new Use(new SharedBucket(key, requestsPerMinute, System.nanoTime())));
    }

    /** Admits a request or does not; empty when there is no limit. */
    public Optional<Quota> take(UUID organizationId, UUID keyId) {
        if (requestsPerMinute == 0) {
            return Optional.empty();
        }
        var use = buckets.get(new ApiKeyId(organizationId, keyId));
        var quota = use.bucket().take(synchroniser.replicas(), System.nanoTime());
        if (quota.admitted()) {
            synchroniser.used(use);
        }
        return Optional.of(quota);
    }

    /** How a key's quota stands, for a request that does not count; empty when there is no limit. */
    public Optional<Quota> look(UUID organizationId, UUID keyId) {
        if (requestsPerMinute == 0) {
            return Optional.empty();
        }
        return Optional.of(
                buckets.get(new ApiKeyId(organizationId, keyId)).bucket().look(System.nanoTime()));
    }
}
