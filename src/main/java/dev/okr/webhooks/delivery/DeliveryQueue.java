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
 * The pending deliveries of all organisations, which any number of replicas share. It has a lane for each webhook, so
 * that a long one hides no other, and everything it is asked costs the same however long the lanes are.
 *
 * <p>A claim is a lease: it marks the row as not ready and due when the lease ends. A row lock holds while it is
 * claimed, and others pass over it ({@code SKIP LOCKED}); afterwards the mark does. A replica that dies leaves the
 * mark, and the delivery is ready again when it is due.
 */
@ApplicationScoped
class DeliveryQueue {
    static final int MAX_PROMOTIONS = 1_000;

    // Jumps from lane to lane by the index of what is ready, the one that has this order, whatever lies between. It
    // names the partition: of a queue that was empty when it was analysed the planner knows nothing, takes
    // status = 'pending' for one row in two hundred, and would read and sort an organisation's queue for each lane.
    private static final String LANES = """
            WITH RECURSIVE lane AS (
                (SELECT organization_id, webhook_id FROM delivery_pending
                    WHERE ready AND (organization_id, webhook_id) > (?, ?)
                    ORDER BY organization_id, webhook_id, event_id LIMIT 1)
                UNION ALL
                SELECT next.* FROM lane CROSS JOIN LATERAL (
                    SELECT d.organization_id, d.webhook_id FROM delivery_pending d
                    WHERE d.ready
                        AND (d.organization_id, d.webhook_id) > (lane.organization_id, lane.webhook_id)
                    ORDER BY d.organization_id, d.webhook_id, d.event_id LIMIT 1) next)
            SELECT l.organization_id, l.webhook_id, w.active, w.failing_since IS NOT NULL AS failing
            FROM (SELECT * FROM lane LIMIT ?) l
            JOIN webhook w ON w.organization_id = l.organization_id AND w.id = l.webhook_id
            ORDER BY l.organization_id, l.webhook_id
            """;

    // How many rows a share will pick is unknown to the planner, which takes it for a tenth of the lane, and would look
    // them up by reading the whole table. Of arrays it expects a few elements, and looks each up by the index.
    private static final String CLAIM = """
            WITH picked AS MATERIALIZED (
                SELECT head.organization_id, head.id
                FROM unnest(?::uuid[], ?::uuid[], ?::int[]) AS share (organization_id, webhook_id, deliveries)
                CROSS JOIN LATERAL (
                    SELECT d.organization_id, d.id FROM delivery_pending d
                    WHERE d.ready
                        AND d.organization_id = share.organization_id AND d.webhook_id = share.webhook_id
                    ORDER BY d.event_id LIMIT share.deliveries FOR UPDATE SKIP LOCKED) head),
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

    private static final String HAND_BACK = """
            UPDATE delivery d SET ready = true, due_at = NULL, claim = NULL
            FROM unnest(?::uuid[], ?::uuid[], ?::uuid[]) AS held (organization_id, id, claim)
            WHERE d.status = 'pending' AND d.organization_id = held.organization_id AND d.id = held.id
                AND d.claim = held.claim
            """;

    /**
     * A webhook for which deliveries are ready.
     *
     * @param active whether they may be sent; those of an inactive webhook are about to be cancelled
     * @param failing whether its last attempt failed
     */
    record EndpointQueue(UUID organizationId, UUID webhookId, boolean active, boolean failing)
            implements Comparable<EndpointQueue> {
        /** Before all others. */
        static final EndpointQueue FIRST = new EndpointQueue(new UUID(0, 0), new UUID(0, 0), false, false);

        private static final Comparator<EndpointQueue> ORDER =
                Comparator.comparing(EndpointQueue::organizationId).thenComparing(EndpointQueue::webhookId);

        @Override
        public int compareTo(EndpointQueue other) {
            return ORDER.compare(this, other);
        }
    }

    /** How many deliveries of a lane are wanted. */
    record Share(EndpointQueue lane, int deliveries) {}

    /** Lanes behind a place in their order. */
    List<EndpointQueue> lanes(Sql sql, EndpointQueue last, int limit) throws SQLException {
        return sql.list(
                row -> new EndpointQueue(
                        row.getObject("organization_id", UUID.class),
                        row.getObject("webhook_id", UUID.class),
                        row.getBoolean("active"),
                        row.getBoolean("failing")),
                LANES,
                last.organizationId(),
                last.webhookId(),
                limit);
    }

    /**
     * Claims up to so many deliveries of each lane, those of the oldest events. They are claimed by the commit.
     *
     * @param claimedAt by {@link MonotonicClock}
     */
    List<ClaimedDelivery> claim(Sql sql, List<Share> shares, Instant claimedAt, Instant now, Instant leaseEnd)
            throws SQLException {
        return sql.list(
                row -> read(row, claimedAt),
                CLAIM,
                shares.stream().map(share -> share.lane().organizationId()).toList(),
                shares.stream().map(share -> share.lane().webhookId()).toList(),
                shares.stream().map(Share::deliveries).toList(),
                leaseEnd,
                UUID.randomUUID(),
                now);
    }

    /** Makes ready what is due: retries, and what a replica claimed and did not finish. Returns how much that was. */
    int promote(Sql sql, Instant now) throws SQLException {
        return sql.update(PROMOTE, now, MAX_PROMOTIONS);
    }

    /** Gives up claims of deliveries that were not attempted, for any replica to claim. */
    int handBack(Sql sql, Collection<ClaimedDelivery> deliveries) throws SQLException {
        return sql.update(
                HAND_BACK,
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
