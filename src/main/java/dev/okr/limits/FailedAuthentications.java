package dev.okr.limits;

import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.LoadingCache;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The limit on requests without a valid API key from one network (contract, section 5), on each replica by itself. */
@ApplicationScoped
public class FailedAuthentications {
    private static final int MAX_BUCKETS = 100_000;

    /** By then the bucket is full again. */
    private static final Duration FORGOTTEN_AFTER = TokenBucket.WINDOW;

    private final int perMinute;
    private final LoadingCache<String, TokenBucket> buckets;

    FailedAuthentications(LimitSettings settings) {
        this.perMinute = settings.failedAuthenticationsPerMinute();
        this.buckets = Caffeine.newBuilder()
                .maximumSize(MAX_BUCKETS)
                .expireAfterAccess(FORGOTTEN_AFTER)
                .build(network -> new TokenBucket(perMinute, System.nanoTime()));
    }

    /**
     * Counts a failed authentication. Returns how long the client has to wait, if there were too many.
     *
     * @param address the client's; null when it is not known
     */
    public Optional<Duration> count(@Nullable String address) {
        if (perMinute == 0) {
            return Optional.empty();
        }
        var bucket = buckets.get(ClientNetwork.of(address));
        synchronized (bucket) {
            long nowNanos = System.nanoTime();
            boolean admitted = bucket.take(1, nowNanos);
            return admitted
                    ? Optional.empty()
                    : Optional.of(bucket.quota(false, nowNanos).retryAfter());
        }
    }
}
