package dev.okr.access.limits;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Limits the requests without a valid API key and the failed sign-ins from each client network. Each replica counts
 * separately.
 */
@ApplicationScoped
public class FailedAuthentications {
    /**
     * The maximum number of networks with a bucket in memory. Above it, the cache evicts buckets. A network whose
     * bucket was evicted starts again with a full one.
     */
    private static final int MAX_BUCKETS = 20_000;

    private final int perMinute;
    private final Cache<String, TokenBucket> buckets =
            Caffeine.newBuilder().maximumSize(MAX_BUCKETS).build();

    FailedAuthentications(LimitSettings settings) {
        this.perMinute = settings.failedAuthenticationsPerMinute;
    }

    /**
     * Counts a failed authentication. Returns how long the client must wait, or empty if the limit is not reached.
     *
     * @param address the client's address, or null if it is unknown
     */
    public Optional<Duration> count(@Nullable String address) {
        if (perMinute == 0) {
            return Optional.empty();
        }
        var bucket = buckets.get(ClientNetwork.of(address), network -> new TokenBucket(perMinute, System.nanoTime()));
        synchronized (bucket) {
            long nowNanos = System.nanoTime();
            boolean admitted = bucket.take(1, nowNanos);
            return admitted
                    ? Optional.empty()
                    : Optional.of(bucket.quota(false, nowNanos).retryAfter());
        }
    }
}
