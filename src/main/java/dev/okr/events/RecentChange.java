package dev.okr.events;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.okr.organizations.tenant.TenantSql;
import dev.okr.platform.ids.IdKind;
import dev.okr.platform.transactions.Sql;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A change of a resource as pages for people show it.
 *
 * @param type such as {@code objective.updated}
 * @param actor null if no user made the change
 * @param data the resource after the change, or before its deletion
 * @param previous the old values of the changed fields; only for an update
 */
public record RecentChange(
        String type, Instant at, @Nullable UUID actor, JsonNode data, JsonNode previous) {
    private static final ObjectMapper JSON = new ObjectMapper();

    /** The maximum size of all changes together. One change with long texts can have more than 100 KB. */
    private static final int MAX_BYTES = 2_000_000;

    private static final String NEWEST = """
            SELECT type, created_at, payload
            FROM (SELECT id, type, created_at, payload, sum(octet_length(payload)) OVER (ORDER BY id DESC) AS bytes
                FROM (SELECT e.id, e.type, e.created_at, e.payload FROM event e
                    WHERE e.organization_id = :organization AND e.resource_id = ANY (?)
                    ORDER BY e.id DESC LIMIT ?) newest) measured
            WHERE bytes <= ? ORDER BY id DESC
            """;

    /**
     * The newest changes of some resources. Returns fewer than {@code limit} if their texts are very long. Changes older
     * than the retention of events are missing.
     */
    public static List<RecentChange> of(Collection<String> resourceIds, int limit) {
        return TenantSql.current().listPlanned(RecentChange::read, NEWEST, resourceIds, limit, MAX_BYTES);
    }

    private static RecentChange read(ResultSet row) throws SQLException {
        try {
            var payload = JSON.readTree(row.getString("payload"));
            var actor = payload.path("actor").path("user_id").asText("");
            return new RecentChange(
                    row.getString("type"),
                    Sql.instant(row, "created_at"),
                    IdKind.USER.parse(actor).orElse(null),
                    payload.path("data"),
                    payload.path("previous"));
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("An event is not JSON.", e);
        }
    }
}
