package dev.okr.webhooks.delivery;

import dev.okr.platform.time.UtcClock;
import dev.okr.platform.transactions.Sql;
import dev.okr.platform.transactions.SqlFailures;
import io.quarkus.scheduler.Scheduled;
import jakarta.enterprise.context.ApplicationScoped;
import java.sql.SQLException;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.UUID;
import org.jboss.logging.Logger;

/**
 * Adds missing lanes and makes late ones due. During an upgrade, replicas of the previous version queue deliveries
 * without lanes. It also cancels deliveries that were queued while their webhook was being deactivated.
 */
@ApplicationScoped
class LaneRepair {
    private static final Logger LOG = Logger.getLogger(LaneRepair.class);

    private static final int MAX_FOUND = 1_000;

    // A page may end within a long queue. The next page starts after its organisation.
    private static final String ORGANIZATIONS = """
            /* all organizations */
            SELECT organization_id FROM delivery_pending WHERE %s organization_id > ? ORDER BY organization_id, id LIMIT ?
            """;

    private static final String FIND_LATE = """
            SELECT w.id, w.failing_since IS NOT NULL AS failing
            FROM webhook w LEFT JOIN delivery_lane l ON l.organization_id = ? AND l.webhook_id = w.id
            WHERE w.organization_id = ? AND w.active
                AND (l.due_at IS NULL AND (SELECT d.id FROM delivery_pending d
                        WHERE d.organization_id = ? AND d.webhook_id = w.id ORDER BY d.id LIMIT 1) IS NOT NULL
                    OR l.due_at > ? AND ((SELECT d.id FROM delivery_pending d WHERE d.organization_id = ? AND d.webhook_id = w.id
                            AND d.ready ORDER BY d.event_id LIMIT 1) IS NOT NULL
                        OR l.due_at > (SELECT d.due_at FROM delivery_pending d
                            WHERE d.organization_id = ? AND d.webhook_id = w.id AND NOT d.ready
                            ORDER BY d.due_at LIMIT 1)))
            """;
    private static final String CANCEL = """
            UPDATE webhook w SET cancel_until = ?
            WHERE w.organization_id = ? AND NOT w.active AND w.cancel_until IS NULL AND w.deleted_at IS NULL
                AND (SELECT d.id FROM delivery_pending d WHERE d.organization_id = ? AND d.webhook_id = w.id
                    ORDER BY d.id LIMIT 1) IS NOT NULL
            """;

    private final QueueDatabase database;
    private final UtcClock clock;
    private final Poller poller;

    LaneRepair(QueueDatabase database, UtcClock clock, Poller poller) {
        this.database = database;
        this.clock = clock;
        this.poller = poller;
    }

    @Scheduled(every = "{okr.webhooks.repair-every}", concurrentExecution = Scheduled.ConcurrentExecution.SKIP)
    void run() {
        try {
            var page = organizations(new UUID(0, 0));
            while (!page.isEmpty()) {
                page.forEach(this::repair);
                page = organizations(page.getLast());
            }
        } catch (SQLException e) {
            logFailure(e);
        }
    }

    private List<UUID> organizations(UUID after) throws SQLException {
        var found = database.search((sql, condition) -> sql.list(
                row -> Sql.uuid(row, "organization_id"), ORGANIZATIONS.formatted(condition), after, MAX_FOUND));
        return List.copyOf(new LinkedHashSet<>(found));
    }

    private void repair(UUID organization) {
        try {
            int late = database.transaction(sql -> wakeLate(sql, organization));
            if (late > 0) {
                poller.wake();
            }
            database.transaction(sql -> sql.update(CANCEL, clock.now(), organization, organization));
        } catch (SQLException e) {
            logFailure(e);
        }
    }

    private int wakeLate(Sql sql, UUID organization) throws SQLException {
        var now = database.now(sql);
        var late = sql.list(
                row -> new Lane(organization, Sql.uuid(row, "id"), row.getBoolean("failing")),
                FIND_LATE,
                organization,
                organization,
                organization,
                now,
                organization,
                organization);
        Lane.wake(sql, late, now);
        return late.size();
    }

    private static void logFailure(SQLException e) {
        LOG.warnf("cannot check the lanes of webhooks, the next run retries it: %s", SqlFailures.reason(e));
    }
}
