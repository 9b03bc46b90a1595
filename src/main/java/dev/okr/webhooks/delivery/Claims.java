package dev.okr.webhooks.delivery;

import dev.okr.platform.encryption.EncryptedSecret;
import dev.okr.platform.transactions.Sql;
import dev.okr.webhooks.SigningKeys;
import dev.okr.webhooks.delivery.Attempt.Endpoint;
import dev.okr.webhooks.delivery.Slots.Request;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Claims deliveries for this replica. The cost of every statement is independent of the length of the queue.
 *
 * <p>A claim is a lease. It marks the delivery as not ready, and as due when the lease expires. Until the claim is
 * committed, the lock on the lane keeps other replicas away. Afterwards the mark does. If a replica dies, its
 * deliveries become ready again when their leases expire, because the lane is due then.
 */
@ApplicationScoped
class Claims {
    static final int MAX_LANES = 512;
    private static final int MAX_PROMOTIONS = 1_000;

    /**
     * A lease exceeds the request timeout by this margin. When the lease expires, another replica takes over (contract,
     * section 4).
     */
    private static final Duration LEASE_MARGIN = Duration.ofSeconds(10);

    static final String FIND_LANES = """
            /* all organizations */
            (SELECT organization_id, webhook_id, failing FROM delivery_lane
                WHERE %1$s failing = false AND due_at <= ? AND webhook_id <> ALL (?::uuid[]) ORDER BY due_at LIMIT ?)
            UNION ALL
            (SELECT organization_id, webhook_id, failing FROM delivery_lane
                WHERE %1$s failing = true AND due_at <= ? AND webhook_id <> ALL (?::uuid[]) ORDER BY due_at LIMIT ?)
            """;

    // A lane that another replica works on is skipped.
    static final String LOCK_LANES = """
            SELECT l.webhook_id, l.failing AS lane_failing, w.active, w.failing_since IS NOT NULL AS failing, w.url,
                w.secret_key_id, w.secret_ciphertext,
                CASE WHEN w.previous_secret_expires_at > ? THEN w.previous_secret_key_id END AS previous_key_id,
                w.previous_secret_ciphertext
            FROM delivery_lane l JOIN webhook w ON w.organization_id = ? AND w.id = l.webhook_id
            WHERE l.organization_id = ? AND l.webhook_id = ANY (?)
            ORDER BY l.due_at
            FOR UPDATE OF l SKIP LOCKED
            """;

    // For arrays the planner assumes a few elements and looks each one up in the index. For the rows of a subquery it
    // may assume a large part of the queue and scan the whole table.
    static final String PROMOTE = """
            UPDATE delivery SET ready = true, due_at = NULL, claim = NULL
            WHERE status = 'pending' AND organization_id = ? AND id = ANY (ARRAY (
                SELECT due.id FROM unnest(?::uuid[]) AS lane (webhook_id) CROSS JOIN LATERAL (
                    SELECT d.id FROM delivery_pending d
                    WHERE d.organization_id = ? AND d.webhook_id = lane.webhook_id AND NOT d.ready AND d.due_at <= ?
                    ORDER BY d.due_at LIMIT ? FOR UPDATE SKIP LOCKED) due))
            """;

    // Deliveries of the oldest events first.
    static final String CLAIM = """
            WITH claimed AS (
                UPDATE delivery SET ready = false, due_at = ?, claim = ?
                WHERE status = 'pending' AND organization_id = ? AND id = ANY (ARRAY (
                    SELECT head.id FROM unnest(?::uuid[], ?::int[]) AS request (webhook_id, deliveries)
                    CROSS JOIN LATERAL (
                        SELECT d.id FROM delivery_pending d
                        WHERE d.organization_id = ? AND d.webhook_id = request.webhook_id AND d.ready
                        ORDER BY d.event_id LIMIT request.deliveries FOR UPDATE SKIP LOCKED) head))
                RETURNING id, webhook_id, event_id, claim, attempts, retries)
            SELECT c.*, e.type, e.created_at, e.payload
            FROM claimed c JOIN event e ON e.organization_id = ? AND e.id = c.event_id
            ORDER BY c.event_id
            """;

    // A lane that has more ready deliveries is due again at once, but after all lanes that are due already.
    static final String REARM = """
            UPDATE delivery_lane l
            SET due_at = CASE WHEN s.ready_at IS NULL THEN greatest(coalesce(s.next_at, 'infinity'), ?::timestamptz)
                    ELSE ?::timestamptz END,
                failing = s.failing, oldest_at = s.oldest_at,
                waiting_at = CASE WHEN s.ready_attempts = 0 THEN s.ready_at END
            FROM (SELECT visited.webhook_id, visited.failing, ready.created_at AS ready_at,
                    ready.attempts AS ready_attempts, waiting.due_at AS next_at, oldest.created_at AS oldest_at
                FROM unnest(?::uuid[], ?::boolean[]) AS visited (webhook_id, failing)
                LEFT JOIN LATERAL (SELECT d.created_at, d.attempts FROM delivery_pending d
                    WHERE d.organization_id = ? AND d.webhook_id = visited.webhook_id AND d.ready
                    ORDER BY d.event_id LIMIT 1) ready ON true
                LEFT JOIN LATERAL (SELECT d.due_at FROM delivery_pending d
                    WHERE d.organization_id = ? AND d.webhook_id = visited.webhook_id AND NOT d.ready
                    ORDER BY d.due_at LIMIT 1) waiting ON true
                LEFT JOIN LATERAL (SELECT d.created_at FROM delivery_pending d
                    WHERE d.organization_id = ? AND d.webhook_id = visited.webhook_id
                    ORDER BY d.id LIMIT 1) oldest ON true) s
            WHERE l.organization_id = ? AND l.webhook_id = s.webhook_id
            RETURNING l.webhook_id, s.oldest_at IS NULL AS idle
            """;
    static final String REMOVE = "DELETE FROM delivery_lane WHERE organization_id = ? AND webhook_id = ANY (?)";

    static final String RELEASE = """
            UPDATE delivery SET ready = true, due_at = NULL, claim = NULL
            WHERE status = 'pending' AND organization_id = ? AND id = ANY (?) AND claim = ANY (?)
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

    /** A lane under the lock of this transaction. */
    private record Locked(Lane lane, boolean knownAsFailing, boolean active, Endpoint endpoint) {}

    /** The due lanes that this replica can serve now, by organisation. Those that waited longest come first. */
    Map<UUID, List<Lane>> find(Slots slots, Instant databaseNow) throws SQLException {
        var now = MonotonicClock.now();
        var busy = slots.busyEndpoints(now);
        int maxFailing = slots.admitsFailing(now) ? MAX_LANES : 0;
        var lanes = database.search((sql, condition) -> sql.list(
                row -> new Lane(
                        Sql.uuid(row, "organization_id"), Sql.uuid(row, "webhook_id"), row.getBoolean("failing")),
                FIND_LANES.formatted(condition),
                databaseNow,
                busy,
                MAX_LANES,
                databaseNow,
                busy,
                maxFailing));
        return lanes.stream()
                .collect(Collectors.groupingBy(Lane::organizationId, LinkedHashMap::new, Collectors.toList()));
    }

    /** Claims deliveries of lanes of one organisation. A claim is committed before its attempt starts. */
    List<Attempt> claim(UUID organizationId, List<Lane> lanes, Slots slots, Instant databaseNow) throws SQLException {
        return database.transaction(sql -> claim(sql, organizationId, lanes, slots, databaseNow));
    }

    /** Releases claimed deliveries of one organisation that were not attempted. */
    void release(UUID organizationId, List<Attempt> attempts) throws SQLException {
        database.transaction(sql -> {
            sql.update(
                    RELEASE,
                    organizationId,
                    attempts.stream().map(Attempt::deliveryId).toList(),
                    attempts.stream().map(Attempt::claim).distinct().toList());
            Lane.wake(sql, attempts.stream().map(Attempt::lane).toList(), database.now(sql));
            return attempts.size();
        });
    }

    private List<Attempt> claim(Sql sql, UUID organizationId, List<Lane> lanes, Slots slots, Instant databaseNow)
            throws SQLException {
        var locked = sql.list(
                row -> locked(row, organizationId),
                LOCK_LANES,
                databaseNow,
                organizationId,
                organizationId,
                lanes.stream().map(Lane::webhookId).toList());
        var now = MonotonicClock.now();
        var requests = slots.allocate(
                locked.stream().filter(Locked::active).map(Locked::lane).toList(), now);
        var attempts = requests.isEmpty()
                ? List.<Attempt>of()
                : claim(sql, organizationId, requests, locked, now, databaseNow);
        var served = requests.stream().map(Request::lane).collect(Collectors.toSet());
        // A lane that gets no slot keeps its place.
        var visited = locked.stream()
                .filter(each -> served.contains(each.lane()) || each.lane().failing() != each.knownAsFailing())
                .map(Locked::lane)
                .toList();
        rearm(sql, organizationId, visited, databaseNow);
        // Housekeeping cancels the deliveries of inactive webhooks.
        remove(
                sql,
                organizationId,
                locked.stream().filter(each -> !each.active()).map(Locked::lane).toList());
        return attempts;
    }

    private List<Attempt> claim(
            Sql sql, UUID organizationId, List<Request> requests, List<Locked> locked, Instant now, Instant databaseNow)
            throws SQLException {
        var byWebhook =
                locked.stream().collect(Collectors.toMap(each -> each.lane().webhookId(), each -> each));
        var webhooks =
                requests.stream().map(request -> request.lane().webhookId()).toList();
        sql.update(
                PROMOTE, organizationId, webhooks, organizationId, databaseNow, MAX_PROMOTIONS / webhooks.size() + 1);
        return sql.list(
                row -> attempt(row, byWebhook, now),
                CLAIM,
                databaseNow.plus(lease),
                UUID.randomUUID(),
                organizationId,
                webhooks,
                requests.stream().map(Request::deliveries).toList(),
                organizationId,
                organizationId);
    }

    /** Sets when the lanes are due again. Deletes those without pending deliveries. */
    private static void rearm(Sql sql, UUID organizationId, List<Lane> lanes, Instant databaseNow) throws SQLException {
        if (lanes.isEmpty()) {
            return;
        }
        var idle = new HashSet<UUID>();
        sql.list(
                row -> row.getBoolean("idle") && idle.add(Sql.uuid(row, "webhook_id")),
                REARM,
                databaseNow,
                databaseNow,
                lanes.stream().map(Lane::webhookId).toList(),
                lanes.stream().map(Lane::failing).toList(),
                organizationId,
                organizationId,
                organizationId,
                organizationId);
        remove(
                sql,
                organizationId,
                lanes.stream().filter(lane -> idle.contains(lane.webhookId())).toList());
    }

    private static void remove(Sql sql, UUID organizationId, List<Lane> lanes) throws SQLException {
        if (!lanes.isEmpty()) {
            sql.update(
                    REMOVE, organizationId, lanes.stream().map(Lane::webhookId).toList());
        }
    }

    private static Locked locked(ResultSet row, UUID organizationId) throws SQLException {
        var webhookId = Sql.uuid(row, "webhook_id");
        var current = new EncryptedSecret(row.getString("secret_key_id"), row.getBytes("secret_ciphertext"));
        return new Locked(
                new Lane(organizationId, webhookId, row.getBoolean("failing")),
                row.getBoolean("lane_failing"),
                row.getBoolean("active"),
                new Endpoint(row.getString("url"), new SigningKeys(organizationId, webhookId, current, previous(row))));
    }

    private static @Nullable EncryptedSecret previous(ResultSet row) throws SQLException {
        var keyId = row.getString("previous_key_id");
        return keyId == null ? null : new EncryptedSecret(keyId, row.getBytes("previous_secret_ciphertext"));
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
                row.getString("payload"));
    }
}
