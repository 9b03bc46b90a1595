package dev.okr.webhooks.delivery;

import dev.okr.platform.time.UtcClock;
import dev.okr.platform.transactions.Sql;
import dev.okr.platform.transactions.SqlFailures;
import io.agroal.api.AgroalDataSource;
import io.quarkus.scheduler.Scheduled;
import jakarta.enterprise.context.ApplicationScoped;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Background work for webhooks, in batches with one transaction each. It cancels the deliveries of deactivated
 * webhooks, recovers events, and deletes the deliveries of deleted webhooks. It skips rows that another replica is
 * working on.
 */
@ApplicationScoped
class Housekeeping {
    private static final Logger LOG = Logger.getLogger(Housekeeping.class);

    private static final int MAX_WEBHOOKS = 100;
    private static final int MAX_BATCH = 500;

    /** The limit for one webhook in one run. The next run continues. */
    private static final int MAX_BATCHES = 20;

    /**
     * The time, after the request timeout, for recording an attempt that was in flight when its webhook was deleted.
     */
    private static final Duration RECORDED_AFTER = Duration.ofMinutes(1);

    private static final String FIND_WORK = """
            /* all organizations */
            SELECT organization_id, id, cancel_until IS NOT NULL AS cancelling, recovery_after IS NOT NULL AS recovering
            FROM webhook
            WHERE cancel_until IS NOT NULL OR recovery_after IS NOT NULL OR deleted_at < ?
            ORDER BY id LIMIT ?
            """;

    private static final String CANCEL = """
            WITH cancelled AS (
                UPDATE delivery d SET status = 'failed', failure_reason = 'deactivated', ready = false, due_at = NULL,
                    claim = NULL, updated_at = ?
                FROM (SELECT p.organization_id, p.id FROM delivery p
                    JOIN webhook w ON w.organization_id = p.organization_id AND w.id = p.webhook_id
                    WHERE p.status = 'pending' AND p.organization_id = ? AND p.webhook_id = ?
                        -- If the webhook is active again, deliveries queued after the deactivation stay.
                        AND (NOT w.active OR p.updated_at <= w.cancel_until)
                        -- The recorder decides about deliveries in flight.
                        AND (p.claim IS NULL OR p.due_at <= ?)
                    ORDER BY p.id LIMIT ? FOR UPDATE OF p SKIP LOCKED) found
                WHERE d.status = 'pending' AND d.organization_id = found.organization_id AND d.id = found.id
                RETURNING 1)
            SELECT count(*) AS rows FROM cancelled
            """;
    private static final String END_CANCELLING = """
            UPDATE webhook w SET cancel_until = NULL
            WHERE w.organization_id = ? AND w.id = ? AND NOT EXISTS (
                SELECT FROM delivery d WHERE d.status = 'pending' AND d.organization_id = w.organization_id
                    AND d.webhook_id = w.id AND (NOT w.active OR d.updated_at <= w.cancel_until))
            """;

    private static final String LOCK_RECOVERY = """
            SELECT recovery_after, recovery_until FROM webhook
            WHERE organization_id = ? AND id = ? AND active AND recovery_after IS NOT NULL
            FOR NO KEY UPDATE SKIP LOCKED
            """;
    // Events that are still in the outbox are skipped, because the fan-out is about to queue them.
    private static final String RECOVER = """
            WITH w AS (SELECT * FROM webhook WHERE organization_id = ? AND id = ?),
            batch AS (
                SELECT e.id, e.type FROM event e JOIN w ON w.organization_id = e.organization_id
                WHERE e.id > w.recovery_after AND e.id < w.recovery_until AND e.type <> 'webhook.ping'
                ORDER BY e.id LIMIT ?),
            requeued AS (
                UPDATE delivery d SET status = 'pending', failure_reason = NULL, ready = true, retries = 0,
                    updated_at = ?
                FROM batch, w
                WHERE d.status = 'failed' AND d.organization_id = w.organization_id AND d.webhook_id = w.id
                    AND d.event_id = batch.id
                RETURNING 1),
            queued AS (
                INSERT INTO delivery (organization_id, id, webhook_id, event_id, status, attempts, retries, ready,
                    created_at, updated_at)
                SELECT w.organization_id, uuid_v7(now.at), w.id, b.id, 'pending', 0, 0, true, now.at, now.at
                FROM batch b, w, (SELECT ?::timestamptz AS at) now
                WHERE w.events && ARRAY [b.type, '*']
                    AND NOT EXISTS (SELECT FROM delivery d WHERE d.organization_id = w.organization_id
                        AND d.event_id = b.id AND d.webhook_id = w.id)
                    AND NOT EXISTS (SELECT FROM outbox o WHERE o.organization_id = w.organization_id
                        AND o.event_id = b.id)
                RETURNING 1)
            SELECT count(*) AS rows, (array_agg(id ORDER BY id DESC))[1] AS last FROM batch
            """;
    private static final String ADVANCE_RECOVERY = """
            UPDATE webhook SET recovery_after = ?, recovery_until = CASE WHEN ?::uuid IS NULL THEN NULL ELSE
                recovery_until END
            WHERE organization_id = ? AND id = ?
            """;

    private static final String PURGE = """
            WITH gone AS (
                DELETE FROM delivery d USING (
                    SELECT organization_id, id FROM delivery WHERE organization_id = ? AND webhook_id = ? LIMIT ?) found
                WHERE d.organization_id = found.organization_id AND d.id = found.id
                RETURNING d.organization_id, d.id),
            attempts AS (
                DELETE FROM delivery_attempt a USING gone
                WHERE a.organization_id = gone.organization_id AND a.delivery_id = gone.id)
            SELECT count(*) AS rows FROM gone
            """;
    private static final String DELETE_WEBHOOK = """
            DELETE FROM webhook w WHERE w.organization_id = ? AND w.id = ? AND w.deleted_at IS NOT NULL
                AND NOT EXISTS (
                    SELECT FROM delivery d WHERE d.organization_id = w.organization_id AND d.webhook_id = w.id)
            """;

    private final AgroalDataSource database;
    private final UtcClock clock;
    private final Dispatcher dispatcher;
    private final Duration purgeDelay;

    Housekeeping(AgroalDataSource database, UtcClock clock, Dispatcher dispatcher, DeliverySettings settings) {
        this.database = database;
        this.clock = clock;
        this.dispatcher = dispatcher;
        this.purgeDelay = settings.requestTimeout().plus(RECORDED_AFTER);
    }

    private record Work(UUID organizationId, UUID webhookId, boolean cancelling, boolean recovering) {}

    /** Runs one batch and returns the number of rows in it. */
    @FunctionalInterface
    private interface Batch {
        int run() throws SQLException;
    }

    @Scheduled(every = "{okr.webhooks.poll-every}", concurrentExecution = Scheduled.ConcurrentExecution.SKIP)
    void processWebhooks() {
        try {
            for (var work : findWork()) {
                if (work.cancelling()) {
                    cancel(work);
                } else if (work.recovering()) {
                    recover(work);
                } else {
                    purge(work);
                }
            }
        } catch (SQLException e) {
            LOG.warnf("background work for webhooks failed, the next run retries it: %s", SqlFailures.reason(e));
        }
    }

    private List<Work> findWork() throws SQLException {
        try (var connection = database.getConnection()) {
            return new Sql(connection)
                    .list(
                            row -> new Work(
                                    row.getObject("organization_id", UUID.class),
                                    row.getObject("id", UUID.class),
                                    row.getBoolean("cancelling"),
                                    row.getBoolean("recovering")),
                            FIND_WORK,
                            clock.now().minus(purgeDelay),
                            MAX_WEBHOOKS);
        }
    }

    private void cancel(Work work) throws SQLException {
        repeat(() -> QueueTransaction.runAt(
                database,
                (sql, now) -> count(
                        sql,
                        CANCEL,
                        clock.now(),
                        work.organizationId(),
                        work.webhookId(),
                        clock.shared(now),
                        MAX_BATCH)));
        update(END_CANCELLING, work.organizationId(), work.webhookId());
    }

    private void recover(Work work) throws SQLException {
        repeat(() -> QueueTransaction.run(database, sql -> recoverBatch(sql, work)));
        dispatcher.wake();
    }

    /** Holds a lock on the webhook, so that two replicas do not queue the same event. */
    private int recoverBatch(Sql sql, Work work) throws SQLException {
        var organization = work.organizationId();
        var webhook = work.webhookId();
        if (sql.first(row -> true, LOCK_RECOVERY, organization, webhook).isEmpty()) {
            return 0;
        }
        var now = clock.now();
        var batch = sql.first(
                        row -> new Recovered(row.getInt("rows"), row.getObject("last", UUID.class)),
                        RECOVER,
                        organization,
                        webhook,
                        MAX_BATCH,
                        now,
                        now)
                .orElseThrow();
        var last = batch.rows() == MAX_BATCH ? batch.last() : null;
        sql.update(ADVANCE_RECOVERY, last, last, organization, webhook);
        return batch.rows();
    }

    private record Recovered(int rows, @Nullable UUID last) {}

    private void purge(Work work) throws SQLException {
        repeat(() -> rows(PURGE, work.organizationId(), work.webhookId(), MAX_BATCH));
        update(DELETE_WEBHOOK, work.organizationId(), work.webhookId());
    }

    private static void repeat(Batch batch) throws SQLException {
        int batches = 0;
        boolean full = true;
        while (full && batches < MAX_BATCHES) {
            full = batch.run() == MAX_BATCH;
            batches++;
        }
    }

    private int rows(String statement, Object... parameters) throws SQLException {
        return QueueTransaction.run(database, sql -> count(sql, statement, parameters));
    }

    private static int count(Sql sql, String statement, Object... parameters) throws SQLException {
        return sql.first(row -> row.getInt("rows"), statement, parameters).orElse(0);
    }

    private void update(String statement, Object... parameters) throws SQLException {
        QueueTransaction.run(database, sql -> sql.update(statement, parameters));
    }
}
