package dev.okr.webhooks.delivery;

import dev.okr.platform.time.UtcClock;
import dev.okr.platform.transactions.OrganizationSearch;
import dev.okr.platform.transactions.Sql;
import dev.okr.platform.transactions.SqlFailures;
import io.quarkus.scheduler.Scheduled;
import jakarta.enterprise.context.ApplicationScoped;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;
import org.jboss.logging.Logger;

/**
 * Adds missing lanes and makes late ones due. During an upgrade, replicas of the previous version queue deliveries
 * without lanes. It also cancels deliveries that were queued while their webhook was being deactivated.
 */
@ApplicationScoped
class LaneRepair {
    private static final Logger LOG = Logger.getLogger(LaneRepair.class);

    /** The limit of organisations in a page, and of webhooks of one organisation in a run. The next run continues. */
    private static final int MAX_FOUND = 1_000;

    // The first row of an organisation is its oldest delivery. A page may end within the queue of an organisation. The
    // next page starts with the next organisation.
    private static final String ORGANIZATIONS = """
            /* all organizations */
            SELECT organization_id, created_at FROM delivery_pending
            WHERE %s organization_id > ? ORDER BY organization_id, id LIMIT ?
            """;

    private static final String FIND_LATE = """
            SELECT w.id, w.failing_since IS NOT NULL AS failing
            FROM webhook w CROSS JOIN LATERAL (SELECT coalesce((
                SELECT due_at FROM delivery_lane WHERE organization_id = ? AND webhook_id = w.id), 'infinity') AS due_at
                LIMIT 1) lane
            WHERE w.organization_id = ? AND w.active AND lane.due_at > ?
                AND ((SELECT d.id FROM delivery_pending d
                        WHERE d.organization_id = ? AND d.webhook_id = w.id AND d.ready
                        ORDER BY d.event_id LIMIT 1) IS NOT NULL
                    OR lane.due_at > (SELECT d.due_at FROM delivery_pending d
                        WHERE d.organization_id = ? AND d.webhook_id = w.id AND NOT d.ready
                        ORDER BY d.due_at LIMIT 1))
            ORDER BY w.id LIMIT ?
            """;
    private static final String FIND_INACTIVE = """
            SELECT w.id FROM webhook w
            WHERE w.organization_id = ? AND NOT w.active AND w.cancel_until IS NULL AND w.deleted_at IS NULL
                AND (SELECT d.id FROM delivery_pending d WHERE d.organization_id = ? AND d.webhook_id = w.id
                    ORDER BY d.id LIMIT 1) IS NOT NULL
            ORDER BY w.id LIMIT ?
            """;
    private static final String CANCEL = """
            UPDATE webhook SET cancel_until = ? WHERE organization_id = ? AND id = ANY (?)
                AND NOT active AND cancel_until IS NULL AND deleted_at IS NULL
            """;

    private final QueueDatabase database;
    private final UtcClock clock;
    private final WakeUp wakeUp;
    private final DeliveryMetrics metrics;

    LaneRepair(QueueDatabase database, UtcClock clock, WakeUp wakeUp, DeliveryMetrics metrics) {
        this.database = database;
        this.clock = clock;
        this.wakeUp = wakeUp;
        this.metrics = metrics;
    }

    @Scheduled(every = "{okr.webhooks.repair-every}", concurrentExecution = Scheduled.ConcurrentExecution.SKIP)
    void run() {
        try {
            var now = clock.now();
            var oldest = now;
            var next = Optional.of(OrganizationSearch.FIRST);
            while (next.isPresent()) {
                var page = organizationsAfter(next.get());
                var queues = new LinkedHashMap<UUID, Instant>();
                page.rows().forEach(queue -> queues.putIfAbsent(queue.organizationId(), queue.oldest()));
                for (var organization : queues.keySet()) {
                    database.organizations().visit(organization, () -> repair(organization));
                }
                oldest = Stream.concat(queues.values().stream(), Stream.of(oldest))
                        .min(Comparator.naturalOrder())
                        .orElseThrow();
                next = page.last();
            }
            metrics.oldest(Duration.between(oldest, now));
        } catch (SQLException e) {
            LOG.warnf("The lanes of webhooks were not checked. The next run tries again: %s", SqlFailures.reason(e));
        }
    }

    private record Queue(UUID organizationId, Instant oldest) {}

    /** Organisations with pending deliveries. The first row of each has the time of its oldest delivery. */
    private OrganizationSearch.Page<Queue> organizationsAfter(UUID last) throws SQLException {
        return database.organizations()
                .page(
                        (sql, condition) -> sql.list(
                                row -> new Queue(Sql.uuid(row, "organization_id"), Sql.instant(row, "created_at")),
                                ORGANIZATIONS.formatted(condition),
                                last,
                                MAX_FOUND),
                        MAX_FOUND,
                        queue -> Optional.of(queue.organizationId()));
    }

    /** Returns the number of repaired webhooks. It searches without a transaction, because there are usually none. */
    private int repair(UUID organization) throws SQLException {
        var late = database.read(sql -> late(sql, organization));
        var inactive = database.read(
                sql -> sql.list(row -> Sql.uuid(row, "id"), FIND_INACTIVE, organization, organization, MAX_FOUND));
        if (!inactive.isEmpty()) {
            database.transaction(sql -> sql.update(CANCEL, clock.now(), organization, inactive));
        }
        if (!late.isEmpty()) {
            database.transaction(sql -> {
                sql.updateAll(List.of(Lane.wake(late)));
                return late.size();
            });
            wakeUp.raise();
        }
        return late.size() + inactive.size();
    }

    /** The lanes that must be due now but are not. */
    private List<Lane.Due> late(Sql sql, UUID organization) throws SQLException {
        var now = database.now(sql);
        return sql.list(
                row -> new Lane.Due(new Lane(organization, Sql.uuid(row, "id"), row.getBoolean("failing")), now),
                FIND_LATE,
                organization,
                organization,
                now,
                organization,
                organization,
                MAX_FOUND);
    }
}
