package dev.okr.webhooks.delivery;

import dev.okr.platform.transactions.DatabaseClock;
import dev.okr.platform.transactions.Sql;
import dev.okr.platform.transactions.Sql.Write;
import dev.okr.webhooks.delivery.Lane.Locked;
import dev.okr.webhooks.delivery.Slots.Request;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.stream.Collectors;

/**
 * Claims deliveries for this replica. The cost of every statement is independent of the length of the queue.
 *
 * <p>A claim is a lease. It marks the delivery as not ready, and as due when the lease expires. Until the claim is
 * committed, the lock on the lane keeps other replicas away. Afterwards the mark does. If a replica dies, another one
 * claims its deliveries when their leases expire, because the lane is due then.
 */
@ApplicationScoped
class Claims {
    /**
     * A lease exceeds the request timeout by this margin. After the lease expires, any replica may claim the delivery.
     */
    private static final Duration LEASE_MARGIN = Duration.ofSeconds(10);

    // Claims ready deliveries, due retries and deliveries whose lease has expired. Among the ready ones, the oldest
    // events come first. Among the others, those that have been due longest come first. For arrays the planner assumes
    // a few elements and looks each one up in the index. For the rows of a subquery it may assume a large part of the
    // queue and scan the whole table. LIMIT makes PostgreSQL look up each event by its id. With old statistics, a join
    // may read all events of the organisation.
    private static final String CLAIM = """
            WITH claimed AS (
                UPDATE delivery SET ready = false, due_at = ?, claim = ?
                WHERE status = 'pending' AND organization_id = ? AND id = ANY (ARRAY (
                    SELECT head.id FROM unnest(?::uuid[], ?::int[]) AS request (webhook_id, deliveries)
                    CROSS JOIN LATERAL (
                        SELECT ready.* FROM (
                            SELECT d.id, d.event_id FROM delivery_pending d
                            WHERE d.organization_id = ? AND d.webhook_id = request.webhook_id AND d.ready
                            ORDER BY d.event_id LIMIT request.deliveries FOR UPDATE SKIP LOCKED) ready
                        UNION ALL
                        SELECT due.* FROM (
                            SELECT d.id, d.event_id FROM delivery_pending d
                            WHERE d.organization_id = ? AND d.webhook_id = request.webhook_id AND NOT d.ready
                                AND d.due_at <= ?
                            ORDER BY d.due_at LIMIT request.deliveries FOR UPDATE SKIP LOCKED) due
                        ORDER BY event_id LIMIT request.deliveries) head))
                RETURNING id, webhook_id, event_id, claim, attempts, retries)
            SELECT c.*, e.type, e.created_at, e.payload_bytes, e.payload
            FROM claimed c CROSS JOIN LATERAL (
                SELECT type, created_at, octet_length(payload) AS payload_bytes,
                    CASE WHEN octet_length(payload) <= ? THEN payload END AS payload
                FROM event WHERE organization_id = ? AND id = c.event_id LIMIT 1) e
            ORDER BY c.event_id
            """;

    // Each delivery is released only from its own claim. If it was claimed twice, the first position counts.
    private static final String RELEASE = """
            UPDATE delivery SET ready = true, due_at = NULL, claim = NULL
            WHERE status = 'pending' AND organization_id = ? AND id = ANY (?)
                AND claim = (?::uuid[])[array_position(?::uuid[], id)]
            """;

    private final QueueDatabase database;
    private final Duration lease;

    @Inject
    Claims(QueueDatabase database, DeliverySettings settings) {
        this(database, settings.requestTimeout().plus(LEASE_MARGIN));
    }

    Claims(QueueDatabase database, Duration lease) {
        this.database = database;
        this.lease = lease;
    }

    /**
     * The result of a visit.
     *
     * @param requested whether a lane got a slot, even if it had no deliveries
     * @param more whether a lane may have more ready deliveries, and can probably get a slot for them
     */
    record Claimed(List<Attempt> attempts, boolean requested, boolean more) {
        static final Claimed NONE = new Claimed(List.of(), false, false);
    }

    private record Lanes(Instant databaseNow, List<Locked> locked) {}

    /**
     * Visits lanes of one organisation. A claim is committed before its attempt starts.
     *
     * @param before statements to run first, in the same round trip
     */
    Claimed claim(Sql sql, UUID organizationId, List<Write> before, Collection<UUID> webhooks, Slots slots)
            throws SQLException {
        var statements = new ArrayList<>(before);
        statements.add(new Write(DatabaseClock.NOW));
        statements.add(Lane.lock(organizationId, webhooks));
        var first = Write.all(statements);
        var lanes = sql.results(
                results -> {
                    var databaseNow = database.now(results);
                    return new Lanes(databaseNow, results.next(row -> Locked.read(row, organizationId, databaseNow)));
                },
                first.statement(),
                first.parameters());
        var locked = lanes.locked();
        var databaseNow = lanes.databaseNow();
        var now = MonotonicClock.now();
        var requests = slots.allocate(
                locked.stream().filter(Locked::active).map(Locked::lane).toList(), now);
        var writes = writes(organizationId, locked, requests, databaseNow);
        if (requests.isEmpty()) {
            sql.updateAll(writes);
            return Claimed.NONE;
        }
        var byWebhook =
                locked.stream().collect(Collectors.toMap(each -> each.lane().webhookId(), each -> each));
        var second = Write.all(writes);
        var attempts = sql.list(row -> attempt(row, byWebhook, now), second.statement(), second.parameters());
        // Lanes that got no slot may get one now, because others may have had fewer deliveries than they requested.
        boolean without = locked.stream().filter(Locked::active).count() > requests.size();
        return new Claimed(attempts, true, without || mayHaveMore(requests, attempts));
    }

    /** Claims the requested deliveries, sets when the visited lanes are due again, and closes the inactive lanes. */
    private List<Write> writes(UUID organizationId, List<Locked> locked, List<Request> requests, Instant databaseNow) {
        var requested = requests.stream().map(Request::lane).collect(Collectors.toSet());
        // A lane that gets no slot keeps its place.
        var visited = locked.stream()
                .filter(each -> each.active()
                        && (requested.contains(each.lane()) || each.lane().failing() != each.markedAsFailing()))
                .map(Locked::lane)
                .toList();
        var inactive =
                locked.stream().filter(each -> !each.active()).map(Locked::lane).toList();
        var writes = new ArrayList<Write>();
        if (!requests.isEmpty()) {
            writes.add(claim(organizationId, requests, databaseNow));
        }
        if (!visited.isEmpty()) {
            writes.add(Lane.rearm(organizationId, visited, databaseNow));
        }
        if (!inactive.isEmpty()) {
            writes.add(Lane.close(organizationId, inactive));
        }
        return writes;
    }

    /**
     * Releases claimed deliveries of one organisation. If this fails, they wait until their leases expire.
     */
    void release(UUID organizationId, List<Attempt> attempts) throws SQLException {
        database.organizations()
                .visit(organizationId, () -> database.transaction(sql -> release(sql, organizationId, attempts)));
    }

    private int release(Sql sql, UUID organizationId, List<Attempt> attempts) throws SQLException {
        var newestFirst = attempts.stream()
                .sorted(Comparator.comparing(Attempt::claimedAt).reversed())
                .toList();
        var ids = newestFirst.stream().map(Attempt::deliveryId).toList();
        var held = newestFirst.stream().map(Attempt::claim).toList();
        var now = database.now(sql);
        sql.update(RELEASE, organizationId, ids, held, ids);
        var webhooks = attempts.stream().map(Attempt::webhookId).distinct().toList();
        Lane.wakeExisting(sql, organizationId, webhooks, now);
        return attempts.size();
    }

    private Write claim(UUID organizationId, List<Request> requests, Instant databaseNow) {
        return new Write(
                CLAIM,
                databaseNow.plus(lease),
                UUID.randomUUID(),
                organizationId,
                requests.stream().map(request -> request.lane().webhookId()).toList(),
                requests.stream().map(Request::deliveries).toList(),
                organizationId,
                organizationId,
                databaseNow,
                Payload.SMALL_BYTES,
                organizationId);
    }

    /** If all requested deliveries of a lane were claimed, the lane probably has more. */
    private static boolean mayHaveMore(List<Request> requests, List<Attempt> attempts) {
        var claimed = attempts.stream().collect(Collectors.groupingBy(Attempt::webhookId, Collectors.counting()));
        return requests.stream()
                .anyMatch(request -> claimed.getOrDefault(request.lane().webhookId(), 0L) == request.deliveries());
    }

    private static Attempt attempt(ResultSet row, Map<UUID, Locked> lanes, Instant now) throws SQLException {
        var locked = Objects.requireNonNull(lanes.get(Sql.uuid(row, "webhook_id")));
        return new Attempt(
                locked.lane(),
                Sql.uuid(row, "id"),
                Sql.uuid(row, "event_id"),
                Sql.uuid(row, "claim"),
                now,
                row.getInt("attempts"),
                row.getInt("retries"),
                locked.endpoint(),
                row.getString("type"),
                Sql.instant(row, "created_at"),
                new Payload(row.getInt("payload_bytes"), row.getBytes("payload")));
    }
}
