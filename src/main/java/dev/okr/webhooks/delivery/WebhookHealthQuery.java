package dev.okr.webhooks.delivery;

import dev.okr.platform.transactions.Sql;
import io.agroal.api.AgroalDataSource;
import jakarta.enterprise.context.ApplicationScoped;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Collection;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Reads the health of webhooks, at a cost independent of their queues and history. */
@ApplicationScoped
public class WebhookHealthQuery {
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
                SELECT w.id AS webhook_id, w.organization_id, d.id
                FROM webhook w CROSS JOIN LATERAL (
                    (SELECT id FROM delivery d WHERE d.status = 'succeeded'
                        AND d.organization_id = w.organization_id AND d.webhook_id = w.id ORDER BY d.id DESC LIMIT ?)
                    UNION ALL
                    (SELECT id FROM delivery d WHERE d.status = 'failed'
                        AND d.organization_id = w.organization_id AND d.webhook_id = w.id ORDER BY d.id DESC LIMIT ?)
                    UNION ALL
                    (SELECT id FROM delivery d WHERE d.status = 'pending'
                        AND d.organization_id = w.organization_id AND d.webhook_id = w.id ORDER BY d.id LIMIT ?)) d
                WHERE w.organization_id = ? AND w.id = ANY (?)),
            attempted AS (
                SELECT r.webhook_id,
                    max(a.attempted_at) FILTER (WHERE a.status_code BETWEEN 200 AND 299) AS succeeded_at,
                    max(a.attempted_at) FILTER (WHERE a.status_code IS NULL OR a.status_code NOT BETWEEN 200 AND 299)
                        AS failed_at
                FROM recent r JOIN delivery_attempt a ON a.organization_id = r.organization_id AND a.delivery_id = r.id
                GROUP BY r.webhook_id)
            SELECT w.id, t.succeeded_at, t.failed_at,
                (SELECT count(*) FROM (SELECT FROM delivery d WHERE d.status = 'pending'
                    AND d.organization_id = w.organization_id AND d.webhook_id = w.id ORDER BY d.id LIMIT ?) p)
                    AS pending
            FROM webhook w LEFT JOIN attempted t ON t.webhook_id = w.id
            WHERE w.organization_id = ? AND w.id = ANY (?)
            """;

    private final AgroalDataSource database;

    WebhookHealthQuery(AgroalDataSource database) {
        this.database = database;
    }

    /** The health of webhooks of an organisation, by their ids. */
    public Map<UUID, WebhookHealth> read(UUID organizationId, Collection<UUID> webhookIds) {
        if (webhookIds.isEmpty()) {
            return Map.of();
        }
        try (var connection = database.getConnection()) {
            var rows = new Sql(connection)
                    .list(
                            row -> Map.entry(row.getObject("id", UUID.class), health(row)),
                            READ,
                            MAX_RECENT,
                            MAX_RECENT,
                            MAX_RECENT,
                            organizationId,
                            webhookIds,
                            MAX_COUNTED,
                            organizationId,
                            webhookIds);
            return rows.stream().collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
        } catch (SQLException e) {
            throw new IllegalStateException("cannot read the health of webhooks", e);
        }
    }

    private static WebhookHealth health(ResultSet row) throws SQLException {
        return new WebhookHealth(row.getLong("pending"), instant(row, "succeeded_at"), instant(row, "failed_at"));
    }

    private static @Nullable Instant instant(ResultSet row, String column) throws SQLException {
        var timestamp = row.getObject(column, OffsetDateTime.class);
        return timestamp == null ? null : timestamp.toInstant();
    }
}
