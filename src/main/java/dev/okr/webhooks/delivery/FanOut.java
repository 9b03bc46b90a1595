package dev.okr.webhooks.delivery;

import dev.okr.platform.time.UtcClock;
import dev.okr.platform.transactions.Sql;
import jakarta.enterprise.context.ApplicationScoped;
import java.sql.SQLException;

/**
 * Creates a delivery of each event for each active webhook that subscribes to its type. One statement removes events
 * from the outbox and queues their deliveries, so a crash cannot lose events.
 */
@ApplicationScoped
class FanOut {
    private static final int MAX_BATCH_EVENTS = 500;

    // Skips events that another replica is fanning out. A transaction that sees an event also sees every webhook that
    // was created before it, so no webhook is missed.
    private static final String RUN = """
            WITH oldest AS (
                SELECT organization_id, event_id FROM outbox ORDER BY event_id LIMIT ? FOR UPDATE SKIP LOCKED),
            taken AS (
                DELETE FROM outbox o USING oldest
                WHERE o.organization_id = oldest.organization_id AND o.event_id = oldest.event_id
                RETURNING o.organization_id, o.event_id, o.type),
            queued AS (
                INSERT INTO delivery (organization_id, id, webhook_id, event_id, status, attempts, retries, ready,
                    created_at, updated_at)
                SELECT t.organization_id, uuid_v7(now.at), w.id, t.event_id, 'pending', 0, 0, true, now.at, now.at
                FROM taken t
                JOIN webhook w ON w.organization_id = t.organization_id AND w.active AND w.events && ARRAY [t.type, '*']
                CROSS JOIN (SELECT ?::timestamptz AS at) now
                RETURNING 1)
            SELECT (SELECT count(*) FROM taken) AS events, (SELECT count(*) FROM queued) AS deliveries
            """;

    private final UtcClock clock;

    /**
     * The size of the next batch. Each run halves it first, and sets it to twice the old size after a success. A failed
     * run therefore leaves it halved. A batch may fail by timeout, because one event may have thousands of webhooks.
     */
    private int batchEvents = MAX_BATCH_EVENTS;

    FanOut(UtcClock clock) {
        this.clock = clock;
    }

    /**
     * The result of a batch.
     *
     * @param full whether there may be more events to fan out
     */
    record Batch(boolean full, long deliveries) {
        static final Batch NONE = new Batch(false, 0);
    }

    /** Fans out a batch of the oldest events. Not thread-safe. */
    Batch run(Sql sql) throws SQLException {
        int limit = batchEvents;
        batchEvents = Math.max(1, limit / 2);
        var batch = sql.first(
                        row -> new Batch(row.getLong("events") == limit, row.getLong("deliveries")),
                        RUN,
                        limit,
                        clock.now())
                .orElseThrow();
        batchEvents = Math.min(MAX_BATCH_EVENTS, limit * 2);
        return batch;
    }
}
