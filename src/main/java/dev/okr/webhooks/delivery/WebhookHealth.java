package dev.okr.webhooks.delivery;

import dev.okr.organizations.tenant.TenantSql;
import dev.okr.platform.transactions.Sql;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Collection;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The recent health of a webhook. Its cost is independent of the queue and the history.
 *
 * @param pending the number of pending deliveries, counted up to {@link #MAX_COUNTED}
 * @param succeededAt the time of the last successful attempt of the deliveries that were read; null if there is none
 * @param failedAt the time of the last failed attempt of the deliveries that were read; null if there is none
 */
public record WebhookHealth(
        long pending,
        @Nullable Instant succeededAt,
        @Nullable Instant failedAt) {
    /** The health of a webhook without deliveries. */
    public static final WebhookHealth NONE = new WebhookHealth(0, null, null);

    /** Deliveries are counted up to this limit, since a queue may hold a million. */
    public static final int MAX_COUNTED = 1_000;

    /**
     * The number of deliveries to read for each status. An attempt of another delivery is missed, such as the
     * redelivery of an old one.
     */
    private static final int MAX_RECENT = 20;

    // Usually, the oldest pending deliveries are attempted first, and the newest finished deliveries were attempted
    // last. The order in the count of pending deliveries prevents a bitmap scan, which would read all of them before
    // the limit applies.
    private static final String READ = """
            WITH recent AS (
                SELECT w.id AS webhook_id, d.id
                FROM unnest(?::uuid[]) AS w (id) CROSS JOIN LATERAL (
                    (SELECT d.id FROM delivery_succeeded d
                        WHERE d.organization_id = :organization AND d.webhook_id = w.id ORDER BY d.id DESC LIMIT ?)
                    UNION ALL
                    (SELECT d.id FROM delivery_failed d
                        WHERE d.organization_id = :organization AND d.webhook_id = w.id ORDER BY d.id DESC LIMIT ?)
                    UNION ALL
                    (SELECT d.id FROM delivery_pending d
                        WHERE d.organization_id = :organization AND d.webhook_id = w.id ORDER BY d.id LIMIT ?)) d),
            attempted AS (
                SELECT r.webhook_id,
                    max(a.attempted_at) FILTER (WHERE a.status_code BETWEEN 200 AND 299) AS succeeded_at,
                    max(a.attempted_at) FILTER (WHERE a.status_code IS NULL OR a.status_code NOT BETWEEN 200 AND 299)
                        AS failed_at
                FROM recent r
                JOIN delivery_attempt a ON a.organization_id = :organization AND a.delivery_id = r.id
                GROUP BY r.webhook_id)
            SELECT w.id, t.succeeded_at, t.failed_at,
                (SELECT count(*) FROM (SELECT 1 FROM delivery_pending d
                    WHERE d.organization_id = :organization AND d.webhook_id = w.id ORDER BY d.id LIMIT ?) p)
                    AS pending
            FROM unnest(?::uuid[]) AS w (id) LEFT JOIN attempted t ON t.webhook_id = w.id
            """;

    /** The health of webhooks of the caller's organisation, by their ids. */
    public static Map<UUID, WebhookHealth> of(Collection<UUID> webhookIds) {
        if (webhookIds.isEmpty()) {
            return Map.of();
        }
        return TenantSql.current()
                .list(
                        row -> Map.entry(Sql.uuid(row, "id"), read(row)),
                        READ,
                        webhookIds,
                        MAX_RECENT,
                        MAX_RECENT,
                        MAX_RECENT,
                        MAX_COUNTED,
                        webhookIds)
                .stream()
                .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
    }

    private static WebhookHealth read(ResultSet row) throws SQLException {
        return new WebhookHealth(
                row.getLong("pending"), Sql.instantOrNull(row, "succeeded_at"), Sql.instantOrNull(row, "failed_at"));
    }

    /** Whether there may be more pending deliveries than were counted. */
    public boolean isUncounted() {
        return pending >= MAX_COUNTED;
    }
}
