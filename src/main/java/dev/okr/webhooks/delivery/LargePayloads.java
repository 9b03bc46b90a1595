package dev.okr.webhooks.delivery;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import jakarta.enterprise.context.ApplicationScoped;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Reads large payloads. An event can have many deliveries at the same time, so the payloads that were read last stay in
 * a cache.
 */
@ApplicationScoped
class LargePayloads {
    /** The longest payloads have about 70 KB. */
    private static final int MAX_CACHED = 50;

    /** Long enough for the deliveries of an event that are claimed together. */
    private static final Duration MAX_AGE = Duration.ofSeconds(5);

    private static final String READ = "SELECT payload FROM event WHERE organization_id = ? AND id = ?";

    private final QueueDatabase database;
    private final Cache<UUID, byte[]> cache = Caffeine.newBuilder()
            .expireAfterWrite(MAX_AGE)
            .maximumSize(MAX_CACHED)
            .build();

    /** Shorter than the margin of a lease. */
    private static final Duration MAX_WAIT = Duration.ofSeconds(3);

    /** Many attempts can start at the same time. Together, they use one connection. */
    private final ReentrantLock reading = new ReentrantLock();

    LargePayloads(QueueDatabase database) {
        this.database = database;
    }

    /** The payload of an event in UTF-8. Callers share it and must not change it. */
    byte[] read(UUID organizationId, UUID eventId) throws SQLException {
        var cached = cache.getIfPresent(eventId);
        if (cached != null) {
            return cached;
        }
        awaitTurn();
        try {
            var meanwhile = cache.getIfPresent(eventId);
            if (meanwhile != null) {
                return meanwhile;
            }
            var payload = database.read(sql -> sql.first(row -> row.getBytes(1), READ, organizationId, eventId))
                    .orElseThrow();
            cache.put(eventId, payload);
            return payload;
        } finally {
            reading.unlock();
        }
    }

    private void awaitTurn() throws SQLException {
        boolean isLocked = false;
        try {
            isLocked = reading.tryLock(MAX_WAIT.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (!isLocked) {
            throw new SQLTimeoutException("Other payloads are being read.");
        }
    }
}
