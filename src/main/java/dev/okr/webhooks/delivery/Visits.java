package dev.okr.webhooks.delivery;

import dev.okr.platform.transactions.Sql;
import jakarta.enterprise.context.ApplicationScoped;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.SequencedMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Finds organisations with work and visits each in one transaction: first it fans out events, then it claims
 * deliveries. The search takes no locks, so it can read all organisations of a distributed database. What it finds may
 * be done already when the visit begins.
 */
@ApplicationScoped
class Visits {
    private static final int MAX_EVENTS = 1_000;
    private static final int MAX_LANES = 512;

    // Organisations with events, by turns. Then due lanes, those that have waited longest first.
    private static final String FIND = """
            /* all organizations */
            (SELECT organization_id, NULL::uuid AS webhook_id FROM outbox
                WHERE %1$s organization_id > ? ORDER BY organization_id, event_id LIMIT ?)
            UNION ALL
            (SELECT organization_id, webhook_id FROM delivery_lane
                WHERE %1$s failing = false AND due_at <= ? AND webhook_id <> ALL (?::uuid[]) ORDER BY due_at LIMIT ?)
            UNION ALL
            (SELECT organization_id, webhook_id FROM delivery_lane
                WHERE %1$s failing = true AND due_at <= ? AND webhook_id <> ALL (?::uuid[]) ORDER BY due_at LIMIT ?)
            """;

    private final QueueDatabase database;
    private final FanOut fanOut;
    private final Claims claims;

    /** The last organisation of a full page of events. The next search starts after it, so that each gets its turn. */
    private UUID lastOrganization = QueueDatabase.FIRST;

    Visits(QueueDatabase database, FanOut fanOut, Claims claims) {
        this.database = database;
        this.fanOut = fanOut;
        this.claims = claims;
    }

    private record Row(UUID organizationId, @Nullable UUID webhookId) {
        static Row read(ResultSet row) throws SQLException {
            return new Row(Sql.uuid(row, "organization_id"), row.getObject("webhook_id", UUID.class));
        }
    }

    /**
     * The organisations to visit.
     *
     * @param lanes their due lanes that this replica can serve now
     * @param more whether there may be organisations with events that the search did not reach
     */
    record Found(SequencedMap<UUID, List<UUID>> lanes, boolean more) {}

    /**
     * The result of a visit.
     *
     * @param queued whether there are new deliveries
     * @param more whether there may be more work
     */
    record Result(List<Attempt> claimed, boolean queued, boolean more) {}

    /** Only the poller's thread calls this. */
    Found find(Slots slots) throws SQLException {
        var now = MonotonicClock.now();
        var busy = slots.busyEndpoints(now);
        int maxLanes = slots.isFull() ? 0 : MAX_LANES;
        int maxFailing = slots.admitsFailing(now) ? maxLanes : 0;
        var rows = database.search((sql, condition) -> {
            var databaseNow = database.now(sql);
            return sql.list(
                    Row::read,
                    FIND.formatted(condition),
                    lastOrganization,
                    MAX_EVENTS,
                    databaseNow,
                    busy,
                    maxLanes,
                    databaseNow,
                    busy,
                    maxFailing);
        });
        var lanes = new LinkedHashMap<UUID, List<UUID>>();
        for (var row : rows) {
            var ofOrganization = lanes.computeIfAbsent(row.organizationId(), key -> new ArrayList<>());
            if (row.webhookId() != null) {
                ofOrganization.add(row.webhookId());
            }
        }
        var events = rows.stream().filter(row -> row.webhookId() == null).toList();
        boolean full = events.size() >= MAX_EVENTS;
        boolean skipped = !lastOrganization.equals(QueueDatabase.FIRST);
        lastOrganization = full ? events.getLast().organizationId() : QueueDatabase.FIRST;
        return new Found(lanes, full || skipped);
    }

    /** A claim is committed before its attempt starts. */
    Result visit(UUID organization, List<UUID> dueLanes, Slots slots) throws SQLException {
        return database.transaction(sql -> {
            var now = database.now(sql);
            var batch = fanOut.run(sql, organization, now);
            var lanes = new LinkedHashSet<>(dueLanes);
            lanes.addAll(batch.webhooks());
            var claimed = lanes.isEmpty() || slots.isFull()
                    ? List.<Attempt>of()
                    : claims.claim(sql, organization, lanes, slots, now);
            boolean queued = !batch.webhooks().isEmpty();
            return new Result(claimed, queued, batch.more() || !claimed.isEmpty());
        });
    }
}
