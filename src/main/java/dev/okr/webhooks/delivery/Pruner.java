package dev.okr.webhooks.delivery;

import dev.okr.events.EventFeed;
import dev.okr.platform.ids.UuidV7;
import dev.okr.platform.transactions.OrganizationSearch;
import dev.okr.platform.transactions.Sql;
import dev.okr.platform.transactions.SqlFailures;
import io.quarkus.scheduler.Scheduled;
import jakarta.enterprise.context.ApplicationScoped;
import java.sql.SQLException;
import java.time.Duration;
import java.util.UUID;
import org.jboss.logging.Logger;

/** Deletes events and finished deliveries that are older than the retention, in small batches. */
@ApplicationScoped
class Pruner {
    private static final Logger LOG = Logger.getLogger(Pruner.class);

    /** Most organisations have no old event, and a delivery is younger than its event. */
    static final String FIND_OLD_EVENT =
            "SELECT id FROM event WHERE organization_id = ? AND id < ? ORDER BY id LIMIT 1";

    static final String PRUNE_DELIVERIES = """
            WITH gone AS (
                DELETE FROM delivery
                WHERE status IN ('succeeded', 'failed') AND organization_id = ? AND id = ANY (ARRAY (
                    SELECT id FROM delivery
                    WHERE status IN ('succeeded', 'failed') AND organization_id = ? AND id < ?
                    ORDER BY id LIMIT ? FOR UPDATE SKIP LOCKED))
                RETURNING id),
            attempts AS (
                DELETE FROM delivery_attempt
                WHERE organization_id = ? AND delivery_id = ANY (ARRAY (SELECT id FROM gone)))
            SELECT count(*) AS rows FROM gone
            """;

    // An event is deleted after its deliveries. The deliveries of a recovery may be much younger than their event.
    static final String PRUNE_EVENTS = """
            DELETE FROM event WHERE organization_id = ? AND id = ANY (ARRAY (
                SELECT o.id FROM event o
                WHERE o.organization_id = ? AND o.id < ?
                    AND (SELECT d.webhook_id FROM delivery d WHERE d.organization_id = ? AND d.event_id = o.id
                        ORDER BY d.webhook_id LIMIT 1) IS NULL
                    AND (SELECT b.event_id FROM outbox b WHERE b.organization_id = ? AND b.event_id = o.id) IS NULL
                ORDER BY o.id LIMIT ? FOR UPDATE OF o SKIP LOCKED))
            """;

    private final QueueDatabase database;
    private final Duration retention;

    Pruner(QueueDatabase database, DeliverySettings settings) {
        this.database = database;
        this.retention = settings.retention();
    }

    @Scheduled(every = "{okr.webhooks.prune-every}", concurrentExecution = Scheduled.ConcurrentExecution.SKIP)
    void prune() {
        try {
            var now = database.read(database::now);
            var oldest = UuidV7.least(now.minus(retention));
            var oldestEvent = UuidV7.least(now.minus(retention).minus(EventFeed.KEPT_LONGER));
            var organizations = database.organizationsAfter(OrganizationSearch.FIRST);
            while (!organizations.isEmpty()) {
                for (var organization : organizations) {
                    database.organizations().visit(organization, () -> prune(organization, oldest, oldestEvent));
                }
                organizations = database.organizationsAfter(organizations.getLast());
            }
        } catch (SQLException e) {
            LOG.warnf("Old events and deliveries were not pruned. The next run tries again: %s", SqlFailures.reason(e));
        }
    }

    /** Returns the number of rows that were deleted. */
    private int prune(UUID organization, UUID oldest, UUID oldestEvent) throws SQLException {
        var old = database.read(sql -> sql.first(row -> Sql.uuid(row, "id"), FIND_OLD_EVENT, organization, oldest));
        if (old.isEmpty()) {
            return 0;
        }
        int deliveries = database.repeat(sql -> pruneDeliveries(sql, organization, oldest));
        return deliveries
                + database.repeat(sql -> sql.update(
                        PRUNE_EVENTS,
                        organization,
                        organization,
                        oldestEvent,
                        organization,
                        organization,
                        QueueDatabase.MAX_BATCH));
    }

    private static int pruneDeliveries(Sql sql, UUID organization, UUID oldest) throws SQLException {
        return sql.first(
                        row -> row.getInt("rows"),
                        PRUNE_DELIVERIES,
                        organization,
                        organization,
                        oldest,
                        QueueDatabase.MAX_BATCH,
                        organization)
                .orElse(0);
    }
}
