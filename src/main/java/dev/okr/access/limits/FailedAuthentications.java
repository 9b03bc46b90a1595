package dev.okr.access.limits;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import jakarta.enterprise.context.ApplicationScoped;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Limits the requests without a valid API key from each client network. Each replica counts separately. */
@ApplicationScoped
public class FailedAuthentications {
    /**
     * The maximum number of networks with a bucket in memory. Above it, the cache evicts buckets. A network whose
     * bucket was evicted starts again with a full one.
     */
    private static final int MAX_BUCKETS = 20_000;

    private static final int IPV6_NETWORK_BYTES = 8;
    private static final int MAX_NAME_LENGTH = 64;

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
        var bucket = buckets.get(network(address), network -> new TokenBucket(perMinute, System.nanoTime()));
        synchronized (bucket) {
            long nowNanos = System.nanoTime();
            boolean admitted = bucket.take(1, nowNanos);
            return admitted
                    ? Optional.empty()
                    : Optional.of(bucket.quota(false, nowNanos).retryAfter());
        }
    }

    /** The network that counts as one client: an IPv4 address, or the /64 network of an IPv6 address. */
    static String network(@Nullable String address) {
        if (address == null) {
            return "";
        }
        int zone = address.indexOf('%');
        try {
            var literal = InetAddress.ofLiteral(zone < 0 ? address : address.substring(0, zone));
            return literal instanceof Inet6Address
                    ? HexFormat.of().formatHex(literal.getAddress(), 0, IPV6_NETWORK_BYTES)
                    : literal.getHostAddress();
        } catch (IllegalArgumentException e) {
            // A trusted proxy may send an obfuscated name or "unknown" in place of an address.
            return address.substring(0, Math.min(address.length(), MAX_NAME_LENGTH));
        }
    }
}
