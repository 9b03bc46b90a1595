package dev.okr.webhooks.delivery;

import dev.okr.organizations.tenant.TenantSql;
import dev.okr.platform.ids.UuidV7;
import dev.okr.platform.transactions.Sql;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.BinaryOperator;

/**
 * The queue of one webhook, a row of {@code delivery_lane}.
 *
 * <p>Two rules keep deliveries from being forgotten. A transaction that makes a delivery due also wakes its lane.
 * {@link Claims} postpones a lane only while it holds the lock on the row, and reads the deliveries after it has the
 * lock. So a concurrent transaction either has committed its delivery before, or wakes the lane afterwards.
 *
 * @param failing whether the last attempt failed
 */
record Lane(UUID organizationId, UUID webhookId, boolean failing) {
    private static final String WAKE = """
            INSERT INTO delivery_lane (organization_id, webhook_id, due_at, failing) VALUES %s
            ON CONFLICT (organization_id, webhook_id) DO UPDATE
            SET due_at = least(delivery_lane.due_at, excluded.due_at), failing = excluded.failing
            """;

    private static final String WAKE_NOW = """
            INSERT INTO delivery_lane (organization_id, webhook_id, due_at, failing) VALUES (:organization, ?, now(), ?)
            ON CONFLICT (organization_id, webhook_id) DO UPDATE
            SET due_at = least(delivery_lane.due_at, excluded.due_at)
            """;
    private static final String INSERT = """
            INSERT INTO delivery (organization_id, id, webhook_id, event_id, status, attempts, retries, ready,
                created_at, updated_at) VALUES %s
            """;

    /** A new delivery. */
    record Queued(Lane lane, UUID eventId) {}

    /** The lane of a webhook, and when it is due at the latest, by the clock of the database. */
    record Due(Lane lane, Instant at) {}

    Lane asFailing() {
        return new Lane(organizationId, webhookId, true);
    }

    /** Queues new deliveries of one organisation. They are ready at once. */
    static void queue(Sql sql, Collection<Queued> deliveries, Instant now, Instant databaseNow) throws SQLException {
        if (deliveries.isEmpty()) {
            return;
        }
        var parameters = new ArrayList<Object>();
        for (var delivery : deliveries) {
            var lane = delivery.lane();
            parameters.addAll(
                    List.of(lane.organizationId(), UuidV7.at(now), lane.webhookId(), delivery.eventId(), now, now));
        }
        sql.update(
                INSERT.formatted(rows("(?, ?, ?, ?, 'pending', 0, 0, true, ?, ?)", deliveries.size())),
                parameters.toArray());
        wake(sql, deliveries.stream().map(Queued::lane).toList(), databaseNow);
    }

    /** Makes lanes of one organisation due at a time, if they are not due earlier. */
    static void wake(Sql sql, Collection<Lane> lanes, Instant at) throws SQLException {
        wake(sql, lanes.stream().map(lane -> new Due(lane, at)).toList());
    }

    /** Makes lanes of one organisation due. It adds those that do not exist. */
    static void wake(Sql sql, List<Due> lanes) throws SQLException {
        if (lanes.isEmpty()) {
            return;
        }
        // A statement changes a row only once. All transactions lock lanes in the same order, that of the map.
        var earliest = new TreeMap<UUID, Due>();
        lanes.forEach(due ->
                earliest.merge(due.lane().webhookId(), due, BinaryOperator.minBy(Comparator.comparing(Due::at))));
        var parameters = new ArrayList<Object>();
        for (var due : earliest.values()) {
            var lane = due.lane();
            parameters.addAll(List.of(lane.organizationId(), lane.webhookId(), due.at(), lane.failing()));
        }
        sql.update(WAKE.formatted(rows("(?, ?, ?, ?)", earliest.size())), parameters.toArray());
    }

    /** Makes a lane due at once, in the transaction of a request. */
    static void wakeNow(UUID webhookId, boolean failing) {
        TenantSql.current().write(WAKE_NOW, webhookId, failing);
    }

    /** The rows of VALUES. A distributed database inserts the result of a SELECT at a much higher cost. */
    static String rows(String row, int count) {
        return String.join(", ", Collections.nCopies(count, row));
    }
}
