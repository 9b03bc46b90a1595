package dev.okr.webhooks.delivery;

import dev.okr.organizations.tenant.TenantSql;
import dev.okr.platform.encryption.EncryptedSecret;
import dev.okr.platform.ids.UuidV7;
import dev.okr.platform.transactions.Sql;
import dev.okr.platform.transactions.Sql.Write;
import dev.okr.webhooks.SigningKeys;
import dev.okr.webhooks.delivery.Attempt.Endpoint;
import java.sql.ResultSet;
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
import java.util.stream.Stream;

/**
 * The queue of one webhook, a row of {@code delivery_lane}. It is due when a replica has to visit it.
 *
 * <p>Two rules keep deliveries from being forgotten. A transaction that makes a delivery due also wakes its lane. A
 * visit postpones a lane only while it holds the lock on the row, and reads the deliveries after it has the lock. So a
 * concurrent transaction either has committed its delivery before, or wakes the lane afterwards.
 *
 * <p>{@link LaneRepair} wakes the lanes of two kinds of deliveries that these rules miss. First, replicas of the
 * previous version queue deliveries without lanes. Second, an event may be fanned out to a webhook while the webhook is
 * being deactivated. A visit then closes the lane. If the webhook is active again before the delivery is cancelled, the
 * delivery stays, but its lane is not due.
 *
 * @param failing whether the last attempt failed
 */
record Lane(UUID organizationId, UUID webhookId, boolean failing) {
    private static final String INSERT = """
            INSERT INTO delivery (organization_id, id, webhook_id, event_id, status, attempts, retries, ready,
                created_at, updated_at) VALUES %s
            """;
    private static final String WAKE = """
            INSERT INTO delivery_lane (organization_id, webhook_id, due_at, failing) VALUES %s
            ON CONFLICT (organization_id, webhook_id) DO UPDATE
            SET due_at = least(delivery_lane.due_at, excluded.due_at)""";
    private static final String WAKE_NOW = WAKE.formatted("(:organization, ?, now(), ?)");
    private static final String WAKE_AND_MARK = WAKE + ", failing = excluded.failing";

    // Locks the lanes in the order of their webhooks, like all transactions that wake several lanes.
    private static final String WAKE_EXISTING = """
            UPDATE delivery_lane SET due_at = least(due_at, ?)
            WHERE organization_id = ? AND webhook_id = ANY (ARRAY (
                SELECT webhook_id FROM delivery_lane WHERE organization_id = ? AND webhook_id = ANY (?::uuid[])
                ORDER BY webhook_id FOR NO KEY UPDATE))
            """;

    // A lane that another replica visits is skipped. Each row is found by its key, whatever the planner assumes about
    // the number of rows.
    private static final String LOCK = """
            SELECT l.webhook_id, l.failing AS lane_failing, w.active, w.failing_since IS NOT NULL AS failing, w.url,
                w.secret_key_id, w.secret_ciphertext,
                w.previous_secret_key_id, w.previous_secret_ciphertext, w.previous_secret_expires_at
            FROM unnest(?::uuid[]) AS due (webhook_id)
            CROSS JOIN LATERAL (
                SELECT webhook_id, failing, due_at FROM delivery_lane
                WHERE organization_id = ? AND webhook_id = due.webhook_id LIMIT 1 FOR UPDATE SKIP LOCKED) l
            CROSS JOIN LATERAL (SELECT * FROM webhook WHERE organization_id = ? AND id = due.webhook_id LIMIT 1) w
            ORDER BY l.due_at
            """;

    // If no more deliveries are ready, the lane is due when the first retry is due or the first lease ends.
    private static final String REARM = """
            UPDATE delivery_lane l
            SET due_at = greatest(?, coalesce(
                    (SELECT '-infinity'::timestamptz FROM delivery_pending d
                        WHERE d.organization_id = ? AND d.webhook_id = l.webhook_id AND d.ready
                        ORDER BY d.event_id LIMIT 1),
                    (SELECT d.due_at FROM delivery_pending d
                        WHERE d.organization_id = ? AND d.webhook_id = l.webhook_id AND NOT d.ready
                        ORDER BY d.due_at LIMIT 1),
                    'infinity')),
                failing = l.webhook_id = ANY (?::uuid[]),
                waiting_at = (SELECT CASE WHEN d.attempts = 0 THEN d.created_at END FROM delivery_pending d
                    WHERE d.organization_id = ? AND d.webhook_id = l.webhook_id AND d.ready
                    ORDER BY d.event_id LIMIT 1)
            WHERE l.organization_id = ? AND l.webhook_id = ANY (?)
            """;
    private static final String CLOSE = """
            UPDATE delivery_lane SET due_at = 'infinity', waiting_at = NULL
            WHERE organization_id = ? AND webhook_id = ANY (?)
            """;

    /** A new delivery. */
    record Queued(Lane lane, UUID eventId) {}

    /** A lane, and the latest time at which it is due, by the clock of the database. */
    record Due(Lane lane, Instant at) {}

    /** A lane under the lock of this transaction. */
    record Locked(Lane lane, boolean markedAsFailing, boolean active, Endpoint endpoint) {
        /** Reads a row that {@link Lane#lock} returns. */
        static Locked read(ResultSet row, UUID organizationId, Instant databaseNow) throws SQLException {
            var webhookId = Sql.uuid(row, "webhook_id");
            var current = new EncryptedSecret(row.getString("secret_key_id"), row.getBytes("secret_ciphertext"));
            var expiry = Sql.instantOrNull(row, "previous_secret_expires_at");
            var previous = expiry == null || !expiry.isAfter(databaseNow)
                    ? null
                    : new EncryptedSecret(
                            row.getString("previous_secret_key_id"), row.getBytes("previous_secret_ciphertext"));
            return new Locked(
                    new Lane(organizationId, webhookId, row.getBoolean("failing")),
                    row.getBoolean("lane_failing"),
                    row.getBoolean("active"),
                    new Endpoint(row.getString("url"), new SigningKeys(organizationId, webhookId, current, previous)));
        }
    }

    /** Queues new deliveries of one organisation, which are ready at once, and wakes their lanes. */
    static List<Write> queue(Collection<Queued> deliveries, Instant now, Instant databaseNow) {
        if (deliveries.isEmpty()) {
            return List.of();
        }
        var parameters = new ArrayList<Object>();
        for (var delivery : deliveries) {
            var lane = delivery.lane();
            parameters.addAll(
                    List.of(lane.organizationId(), UuidV7.at(now), lane.webhookId(), delivery.eventId(), now, now));
        }
        var insert = new Write(
                INSERT.formatted(rows("(?, ?, ?, ?, 'pending', 0, 0, true, ?, ?)", deliveries.size())),
                parameters.toArray());
        return List.of(
                insert,
                wake(deliveries.stream()
                        .map(delivery -> new Due(delivery.lane(), databaseNow))
                        .toList()));
    }

    /**
     * Makes lanes of one organisation due, if they are not due earlier. Adds those that do not exist. It does not
     * change whether an existing lane is failing, because the caller's value may be out of date.
     */
    static Write wake(Collection<Due> lanes) {
        return wake(WAKE, lanes);
    }

    /** Also marks lanes as failing or not. Only a transaction that writes the same to the webhooks may call it. */
    static Write wakeAndMark(Collection<Due> lanes) {
        return wake(WAKE_AND_MARK, lanes);
    }

    /** Makes existing lanes due. The lane of a purged webhook no longer exists, and is not created again. */
    static void wakeExisting(Sql sql, UUID organizationId, List<UUID> webhooks, Instant databaseNow)
            throws SQLException {
        sql.update(WAKE_EXISTING, databaseNow, organizationId, organizationId, webhooks);
    }

    /** Makes a lane due at once, in the transaction of a request. */
    static void wakeNow(UUID webhookId, boolean failing) {
        TenantSql.current().write(WAKE_NOW, webhookId, failing);
    }

    /** Locks lanes of one organisation and returns them in the order of their due times. */
    static Write lock(UUID organizationId, Collection<UUID> webhooks) {
        return new Write(LOCK, webhooks, organizationId, organizationId);
    }

    /**
     * Sets when locked lanes of one organisation are due again. A lane with ready deliveries is due at once, after all
     * other due lanes.
     */
    static Write rearm(UUID organizationId, List<Lane> lanes, Instant databaseNow) {
        return new Write(
                REARM,
                databaseNow,
                organizationId,
                organizationId,
                webhooks(lanes.stream().filter(Lane::failing)),
                organizationId,
                organizationId,
                webhooks(lanes.stream()));
    }

    /** Ends the visits of locked lanes of inactive webhooks. {@link Housekeeping} cancels their deliveries. */
    static Write close(UUID organizationId, List<Lane> lanes) {
        return new Write(CLOSE, organizationId, webhooks(lanes.stream()));
    }

    private static List<UUID> webhooks(Stream<Lane> lanes) {
        return lanes.map(Lane::webhookId).toList();
    }

    /** The rows of VALUES. In a distributed schema, an INSERT of the result of a SELECT is much slower. */
    static String rows(String row, int count) {
        return String.join(", ", Collections.nCopies(count, row));
    }

    private static Write wake(String statement, Collection<Due> lanes) {
        // A statement can change a row only once. The map sorts the lanes, so all transactions lock them in this order.
        var earliest = new TreeMap<UUID, Due>();
        lanes.forEach(due ->
                earliest.merge(due.lane().webhookId(), due, BinaryOperator.minBy(Comparator.comparing(Due::at))));
        var parameters = new ArrayList<Object>();
        for (var due : earliest.values()) {
            var lane = due.lane();
            parameters.addAll(List.of(lane.organizationId(), lane.webhookId(), due.at(), lane.failing()));
        }
        return new Write(statement.formatted(rows("(?, ?, ?, ?)", earliest.size())), parameters.toArray());
    }
}
