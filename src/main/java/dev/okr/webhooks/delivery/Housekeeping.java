package dev.okr.webhooks.delivery;

import dev.okr.platform.time.UtcClock;
import dev.okr.platform.transactions.Sql;
import dev.okr.platform.transactions.SqlFailures;
import io.quarkus.scheduler.Scheduled;
import jakarta.enterprise.context.ApplicationScoped;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.jboss.logging.Logger;

/**
 * Background work for webhooks, in batches with one transaction each. It cancels the deliveries of deactivated
 * webhooks, recovers events, and deletes the deliveries of deleted webhooks. It skips rows that another replica is
 * working on.
 *
 * <p>Two clocks are used. Leases and the age of a deleted webhook are compared with the clock of the database. The times
 * that people see are set by the clock of this replica, which follows the clock of the database. An error of a few
 * seconds does not matter for them.
 */
@ApplicationScoped
class Housekeeping {
    private static final Logger LOG = Logger.getLogger(Housekeeping.class);

    private static final int MAX_WEBHOOKS = 100;

    /** After this time, a run ends when it has processed one webhook of each organisation. The next run continues. */
    private static final Duration MAX_RUN = Duration.ofSeconds(4);

    /**
     * When a webhook is deleted, an attempt may be in flight. This is the time to record it after the request timeout.
     */
    private static final Duration RECORDED_AFTER = Duration.ofMinutes(1);

    // First one webhook of each organisation, then the second one of each.
    private static final String FIND_WORK = """
            /* all organizations */
            SELECT organization_id, id, cancel_until IS NOT NULL AS cancelling, recovery_after IS NOT NULL AS recovering,
                row_number() OVER (PARTITION BY organization_id ORDER BY id) AS place
            FROM webhook
            WHERE %s (cancel_until IS NOT NULL OR recovery_after IS NOT NULL OR deleted_at < ?)
            ORDER BY place, id LIMIT ?
            """;

    static final String CANCEL = """
            UPDATE delivery SET status = 'failed', failure_reason = 'deactivated', ready = false, due_at = NULL,
                claim = NULL, updated_at = ?
            WHERE status = 'pending' AND organization_id = ? AND id = ANY (ARRAY (
                SELECT p.id FROM delivery_pending p
                JOIN webhook w ON w.organization_id = ? AND w.id = p.webhook_id
                WHERE p.organization_id = ? AND p.webhook_id = ?
                    -- If the webhook is active again, deliveries queued after the deactivation stay.
                    AND (NOT w.active OR p.updated_at <= w.cancel_until)
                    -- The recorder decides about deliveries in flight.
                    AND (p.claim IS NULL OR p.due_at <= ?)
                ORDER BY p.id LIMIT ? FOR UPDATE OF p SKIP LOCKED))
            """;
    private static final String END_CANCELLING = """
            UPDATE webhook w SET cancel_until = NULL
            WHERE w.organization_id = ? AND w.id = ? AND (
                SELECT d.id FROM delivery_pending d WHERE d.organization_id = ?
                    AND d.webhook_id = w.id AND (NOT w.active OR d.updated_at <= w.cancel_until)
                ORDER BY d.id LIMIT 1) IS NULL
            """;

    static final String PURGE = """
            WITH gone AS (
                DELETE FROM delivery WHERE organization_id = ? AND id = ANY (ARRAY (
                    SELECT id FROM delivery WHERE organization_id = ? AND webhook_id = ? ORDER BY id LIMIT ?))
                RETURNING id),
            attempts AS (
                DELETE FROM delivery_attempt
                WHERE organization_id = ? AND delivery_id = ANY (ARRAY (SELECT id FROM gone)))
            SELECT count(*) AS rows FROM gone
            """;
    private static final String DELETE_WEBHOOK = """
            DELETE FROM webhook w WHERE w.organization_id = ? AND w.id = ? AND w.deleted_at IS NOT NULL
                AND (SELECT d.id FROM delivery d WHERE d.organization_id = ? AND d.webhook_id = w.id
                    ORDER BY d.id LIMIT 1) IS NULL
            """;

    private final QueueDatabase database;
    private final UtcClock clock;
    private final RecoveryBatch recovery;
    private final WakeUp wakeUp;
    private final Duration purgeDelay;

    Housekeeping(
            QueueDatabase database, UtcClock clock, RecoveryBatch recovery, WakeUp wakeUp, DeliverySettings settings) {
        this.database = database;
        this.clock = clock;
        this.recovery = recovery;
        this.wakeUp = wakeUp;
        this.purgeDelay = settings.requestTimeout().plus(RECORDED_AFTER);
    }

    /** @param place its place among the webhooks of its organisation with work, from 1 */
    private record Work(UUID organizationId, UUID webhookId, boolean cancelling, boolean recovering, long place) {}

    @Scheduled(every = "{okr.webhooks.poll-every}", concurrentExecution = Scheduled.ConcurrentExecution.SKIP)
    void processWebhooks() {
        try {
            var end = MonotonicClock.now().plus(MAX_RUN);
            for (var work : findWork()) {
                if (work.place() == 1 || MonotonicClock.now().isBefore(end)) {
                    database.organizations().visit(work.organizationId(), () -> process(work));
                }
            }
        } catch (SQLException e) {
            LOG.warnf("Webhooks were not processed. The next run tries again: %s", SqlFailures.reason(e));
        }
    }

    private List<Work> findWork() throws SQLException {
        return database.organizations()
                .run((sql, condition) -> sql.list(
                        row -> new Work(
                                Sql.uuid(row, "organization_id"),
                                Sql.uuid(row, "id"),
                                row.getBoolean("cancelling"),
                                row.getBoolean("recovering"),
                                row.getLong("place")),
                        FIND_WORK.formatted(condition),
                        database.now(sql).minus(purgeDelay),
                        MAX_WEBHOOKS));
    }

    /** Returns the number of rows that were changed. */
    private int process(Work work) throws SQLException {
        if (work.cancelling()) {
            return cancel(work);
        }
        return work.recovering() ? recover(work) : purge(work);
    }

    private int recover(Work work) throws SQLException {
        int events = database.repeat(sql -> recovery.run(sql, work.organizationId(), work.webhookId()));
        wakeUp.raise();
        return events;
    }

    private int cancel(Work work) throws SQLException {
        var organization = work.organizationId();
        int cancelled = database.repeat(sql -> sql.update(
                CANCEL,
                clock.now(),
                organization,
                organization,
                organization,
                work.webhookId(),
                database.now(sql),
                QueueDatabase.MAX_BATCH));
        database.transaction(sql -> sql.update(END_CANCELLING, organization, work.webhookId(), organization));
        return cancelled;
    }

    private int purge(Work work) throws SQLException {
        var organization = work.organizationId();
        int deleted = database.repeat(sql -> sql.first(
                        row -> row.getInt("rows"),
                        PURGE,
                        organization,
                        organization,
                        work.webhookId(),
                        QueueDatabase.MAX_BATCH,
                        organization)
                .orElse(0));
        database.transaction(sql -> sql.update(DELETE_WEBHOOK, organization, work.webhookId(), organization));
        return deleted;
    }
}
