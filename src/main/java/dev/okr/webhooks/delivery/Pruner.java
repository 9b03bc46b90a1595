package dev.okr.webhooks.delivery;

import dev.okr.platform.ids.UuidV7;
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

/** Deletes events and finished deliveries that are older than the retention, in small batches. */
@ApplicationScoped
class Pruner {
    private static final Logger LOG = Logger.getLogger(Pruner.class);

    private static final int MAX_ORGANIZATIONS = 1_000;
    private static final int MAX_BATCH = 500;

    /** The limit for one organisation in one run. The next run continues. */
    private static final int MAX_BATCHES = 20;

    private static final String ORGANIZATIONS = """
            SELECT o.id, EXISTS (SELECT FROM event e WHERE e.organization_id = o.id AND e.id < ?)
                OR EXISTS (SELECT FROM delivery d WHERE d.organization_id = o.id AND d.id < ?
                    AND d.status IN ('succeeded', 'failed')) AS old
            FROM organization o WHERE o.id > ? ORDER BY o.id LIMIT ?
            """;
    private static final String PRUNE_DELIVERIES = """
            WITH gone AS (
                DELETE FROM delivery d USING (
                    SELECT organization_id, id FROM delivery
                    WHERE status IN ('succeeded', 'failed') AND organization_id = ? AND id < ?
                    ORDER BY id LIMIT ? FOR UPDATE SKIP LOCKED) old
                WHERE d.status IN ('succeeded', 'failed') AND d.organization_id = old.organization_id AND d.id = old.id
                RETURNING d.organization_id, d.id),
            attempts AS (
                DELETE FROM delivery_attempt a USING gone
                WHERE a.organization_id = gone.organization_id AND a.delivery_id = gone.id)
            SELECT count(*) AS rows FROM gone
            """;
    // An event is deleted after its deliveries. The deliveries of a recovery are younger than their event.
    private static final String PRUNE_EVENTS = """
            WITH gone AS (
                DELETE FROM event e USING (
                    SELECT o.organization_id, o.id FROM event o
                    WHERE o.organization_id = ? AND o.id < ?
                        AND NOT EXISTS (SELECT FROM delivery d
                            WHERE d.organization_id = o.organization_id AND d.event_id = o.id)
                        AND NOT EXISTS (SELECT FROM outbox b
                            WHERE b.organization_id = o.organization_id AND b.event_id = o.id)
                    ORDER BY o.id LIMIT ? FOR UPDATE OF o SKIP LOCKED) old
                WHERE e.organization_id = old.organization_id AND e.id = old.id
                RETURNING 1)
            SELECT count(*) AS rows FROM gone
            """;

    private final AgroalDataSource database;
    private final UtcClock clock;
    private final Duration retention;

    Pruner(AgroalDataSource database, UtcClock clock, DeliverySettings settings) {
        this.database = database;
        this.clock = clock;
        this.retention = settings.retention();
    }

    private record Organization(UUID id, boolean old) {}

    @Scheduled(every = "{okr.webhooks.prune-every}", concurrentExecution = Scheduled.ConcurrentExecution.SKIP)
    void prune() {
        var oldest = UuidV7.least(clock.now().minus(retention));
        try {
            var last = new UUID(0, 0);
            List<Organization> organizations;
            do {
                organizations = organizationsAfter(last, oldest);
                for (var organization : organizations) {
                    if (organization.old()) {
                        prune(PRUNE_DELIVERIES, organization.id(), oldest);
                        prune(PRUNE_EVENTS, organization.id(), oldest);
                    }
                    last = organization.id();
                }
            } while (organizations.size() == MAX_ORGANIZATIONS);
        } catch (SQLException e) {
            LOG.warnf("cannot delete old events and deliveries, the next run retries it: %s", SqlFailures.reason(e));
        }
    }

    private List<Organization> organizationsAfter(UUID last, UUID oldest) throws SQLException {
        return QueueTransaction.run(
                database,
                sql -> sql.list(
                        row -> new Organization(row.getObject("id", UUID.class), row.getBoolean("old")),
                        ORGANIZATIONS,
                        oldest,
                        oldest,
                        last,
                        MAX_ORGANIZATIONS));
    }

    private void prune(String statement, UUID organization, UUID oldest) throws SQLException {
        int rows = MAX_BATCH;
        for (int batches = 0; rows == MAX_BATCH && batches < MAX_BATCHES; batches++) {
            rows = QueueTransaction.run(database, sql -> prune(sql, statement, organization, oldest));
        }
    }

    private static int prune(Sql sql, String statement, UUID organization, UUID oldest) throws SQLException {
        return sql.first(row -> row.getInt("rows"), statement, organization, oldest, MAX_BATCH)
                .orElse(0);
    }
}
