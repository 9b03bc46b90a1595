package dev.okr.webhooks.delivery;

import dev.okr.platform.encryption.EncryptedSecret;
import dev.okr.platform.transactions.Sql;
import dev.okr.webhooks.SigningKeys;
import jakarta.enterprise.context.ApplicationScoped;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The pending deliveries of all organisations, shared by all replicas. Each webhook has its own endpoint queue, so a
 * long queue does not delay the others. The cost of every query is independent of the length of the queues.
 *
 * <p>A claim is a lease. It marks the delivery as not ready, and as due when the lease expires. Until the claim is
 * committed, other replicas skip its locked row ({@code SKIP LOCKED}). Afterwards they skip it because it is not ready.
 * If a replica dies, its deliveries become ready again when their leases expire.
 */
@ApplicationScoped
class DeliveryQueue {
    static final int MAX_PROMOTIONS = 1_000;

    // A skip scan over the index of ready deliveries, from one endpoint queue to the next. The query names the
    // partition delivery_pending. Otherwise, if the queue was empty when it was last analysed, the planner would read
    // and sort an organisation's whole queue for each endpoint.
    private static final String ENDPOINT_QUEUES = """
            WITH RECURSIVE endpoint AS (
                (SELECT organization_id, webhook_id FROM delivery_pending
                    WHERE ready AND (organization_id, webhook_id) > (?, ?)
                    ORDER BY organization_id, webhook_id, event_id LIMIT 1)
                UNION ALL
                SELECT next.* FROM endpoint CROSS JOIN LATERAL (
                    SELECT d.organization_id, d.webhook_id FROM delivery_pending d
                    WHERE d.ready
                        AND (d.organization_id, d.webhook_id) > (endpoint.organization_id, endpoint.webhook_id)
                    ORDER BY d.organization_id, d.webhook_id, d.event_id LIMIT 1) next)
            SELECT l.organization_id, l.webhook_id, w.active, w.failing_since IS NOT NULL AS failing
            FROM (SELECT * FROM endpoint LIMIT ?) l
            JOIN webhook w ON w.organization_id = l.organization_id AND w.id = l.webhook_id
            ORDER BY l.organization_id, l.webhook_id
            """;

    // The update reads the picked rows from arrays. The planner assumes that an array has few elements, and looks each
    // one up in the index. For the CTE it would assume a tenth of the queue, and scan the whole table.
    private static final String CLAIM = """
            WITH picked AS MATERIALIZED (
                SELECT head.organization_id, head.id
                FROM unnest(?::uuid[], ?::uuid[], ?::int[]) AS request (organization_id, webhook_id, deliveries)
                CROSS JOIN LATERAL (
                    SELECT d.organization_id, d.id FROM delivery_pending d
                    WHERE d.ready
                        AND d.organization_id = request.organization_id AND d.webhook_id = request.webhook_id
                    ORDER BY d.event_id LIMIT request.deliveries FOR UPDATE SKIP LOCKED) head),
            claimed AS (
                UPDATE delivery d SET ready = false, due_at = ?, claim = ?
                FROM unnest(ARRAY (SELECT organization_id FROM picked), ARRAY (SELECT id FROM picked))
                    AS p (organization_id, id)
                WHERE d.status = 'pending' AND d.organization_id = p.organization_id AND d.id = p.id
                RETURNING d.organization_id, d.id, d.webhook_id, d.event_id, d.claim, d.attempts, d.retries)
            SELECT c.*, w.url, w.secret_key_id, w.secret_ciphertext,
                CASE WHEN w.previous_secret_expires_at > ? THEN w.previous_secret_key_id END AS previous_key_id,
                w.previous_secret_ciphertext, e.type, e.created_at, e.payload
            FROM claimed c
            JOIN webhook w ON w.organization_id = c.organization_id AND w.id = c.webhook_id
            JOIN event e ON e.organization_id = c.organization_id AND e.id = c.event_id
            WHERE w.active
            ORDER BY c.event_id
            """;

    private static final String PROMOTE = """
            UPDATE delivery d SET ready = true, due_at = NULL, claim = NULL
            FROM (SELECT organization_id, id FROM delivery
                WHERE status = 'pending' AND NOT ready AND due_at <= ?
                ORDER BY due_at LIMIT ? FOR UPDATE SKIP LOCKED) due
            WHERE d.status = 'pending' AND d.organization_id = due.organization_id AND d.id = due.id
            """;

    private static final String RELEASE = """
            UPDATE delivery d SET ready = true, due_at = NULL, claim = NULL
            FROM unnest(?::uuid[], ?::uuid[], ?::uuid[]) AS held (organization_id, id, claim)
            WHERE d.status = 'pending' AND d.organization_id = held.organization_id AND d.id = held.id
                AND d.claim = held.claim
            """;

    /**
     * The ready deliveries of one webhook.
     *
     * @param active whether the webhook is active; background work cancels the deliveries of an inactive one
     * @param failing whether the last attempt failed
     */
    record EndpointQueue(UUID organizationId, UUID webhookId, boolean active, boolean failing)
            implements Comparable<EndpointQueue> {
        /** Sorts before all others. */
        static final EndpointQueue FIRST = new EndpointQueue(new UUID(0, 0), new UUID(0, 0), false, false);

        private static final Comparator<EndpointQueue> ORDER =
                Comparator.comparing(EndpointQueue::organizationId).thenComparing(EndpointQueue::webhookId);

        @Override
        public int compareTo(EndpointQueue other) {
            return ORDER.compare(this, other);
        }
    }

    /** The number of deliveries to claim from one endpoint queue. */
    record ClaimRequest(EndpointQueue queue, int deliveries) {}

    /** A page of endpoint queues after a given one. */
    List<EndpointQueue> endpointQueues(Sql sql, EndpointQueue after, int limit) throws SQLException {
        return sql.list(
                row -> new EndpointQueue(
                        row.getObject("organization_id", UUID.class),
                        row.getObject("webhook_id", UUID.class),
                        row.getBoolean("active"),
                        row.getBoolean("failing")),
                ENDPOINT_QUEUES,
                after.organizationId(),
                after.webhookId(),
                limit);
    }

    /**
     * Claims the deliveries of the oldest events. A claim takes effect with the commit.
     *
     * @param claimedAt the current time by {@link MonotonicClock}; the other times are by the database's clock
     */
    List<ClaimedDelivery> claim(Sql sql, List<ClaimRequest> requests, Instant claimedAt, Instant now, Instant leaseEnd)
            throws SQLException {
        return sql.list(
                row -> read(row, claimedAt),
                CLAIM,
                requests.stream()
                        .map(request -> request.queue().organizationId())
                        .toList(),
                requests.stream().map(request -> request.queue().webhookId()).toList(),
                requests.stream().map(ClaimRequest::deliveries).toList(),
                leaseEnd,
                UUID.randomUUID(),
                now);
    }

    /** Makes due retries and deliveries with an expired lease ready. Returns their number. */
    int promote(Sql sql, Instant now) throws SQLException {
        return sql.update(PROMOTE, now, MAX_PROMOTIONS);
    }

    /** Releases claimed deliveries that were not attempted. */
    int release(Sql sql, Collection<ClaimedDelivery> deliveries) throws SQLException {
        return sql.update(
                RELEASE,
                deliveries.stream().map(ClaimedDelivery::organizationId).toList(),
                deliveries.stream().map(ClaimedDelivery::id).toList(),
                deliveries.stream().map(ClaimedDelivery::claim).toList());
    }

    private static ClaimedDelivery read(ResultSet row, Instant claimedAt) throws SQLException {
        var organizationId = row.getObject("organization_id", UUID.class);
        var webhookId = row.getObject("webhook_id", UUID.class);
        var current = new EncryptedSecret(row.getString("secret_key_id"), row.getBytes("secret_ciphertext"));
        return new ClaimedDelivery(
                organizationId,
                row.getObject("id", UUID.class),
                webhookId,
                row.getObject("event_id", UUID.class),
                row.getObject("claim", UUID.class),
                claimedAt,
                row.getInt("attempts"),
                row.getInt("retries"),
                row.getString("url"),
                new SigningKeys(organizationId, webhookId, current, previous(row)),
                row.getString("type"),
                Sql.instant(row, "created_at"),
                row.getString("payload"));
    }

    private static @Nullable EncryptedSecret previous(ResultSet row) throws SQLException {
        var keyId = row.getString("previous_key_id");
        return keyId == null ? null : new EncryptedSecret(keyId, row.getBytes("previous_secret_ciphertext"));
    }
}
