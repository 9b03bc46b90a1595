package dev.okr.webhooks;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.time.Duration;

/**
 * Limits the TLS handshakes with many bytes of certificates. Java parses and caches the certificates before
 * {@link CertificateLimit} can refuse them. So only handshakes that do not succeed are counted. Each organisation has a
 * share, so that it cannot stop the deliveries of others.
 */
final class LargeHandshakes {
    private static final Duration BETWEEN_ALL = Duration.ofMillis(100);
    private static final int MAX_SAVED_OF_ALL = 20;

    private static final Duration BETWEEN_OF_ONE = Duration.ofSeconds(1);
    private static final int MAX_SAVED_OF_ONE = 10;

    private final Bucket all = new Bucket(BETWEEN_ALL, MAX_SAVED_OF_ALL);

    /** A bucket that is not used for this time is full, like a new one. */
    private final Cache<String, Bucket> shares = Caffeine.newBuilder()
            .expireAfterAccess(BETWEEN_OF_ONE.multipliedBy(MAX_SAVED_OF_ONE))
            .build();

    /** Returns whether a large handshake may continue. It counts until it succeeds. */
    synchronized boolean tryStart(String organization) {
        var share = share(organization);
        long nowNanos = System.nanoTime();
        if (all.isEmpty(nowNanos) || share.isEmpty(nowNanos)) {
            return false;
        }
        all.take(nowNanos);
        share.take(nowNanos);
        return true;
    }

    synchronized void succeeded(String organization) {
        all.giveBack();
        share(organization).giveBack();
    }

    private Bucket share(String organization) {
        return shares.get(organization, name -> new Bucket(BETWEEN_OF_ONE, MAX_SAVED_OF_ONE));
    }

    private static final class Bucket {
        private final long betweenNanos;
        private final long savedNanos;
        private long fullAtNanos = System.nanoTime();

        Bucket(Duration between, int maxSaved) {
            this.betweenNanos = between.toNanos();
            this.savedNanos = maxSaved * betweenNanos;
        }

        boolean isEmpty(long nowNanos) {
            return fullAtNanos - nowNanos > savedNanos - betweenNanos;
        }

        void take(long nowNanos) {
            fullAtNanos = nowNanos + Math.max(0, fullAtNanos - nowNanos) + betweenNanos;
        }

        void giveBack() {
            fullAtNanos -= betweenNanos;
        }
    }
}
