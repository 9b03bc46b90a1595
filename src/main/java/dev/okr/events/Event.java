package dev.okr.events;

import dev.okr.organizations.tenant.NewestFirst;
import dev.okr.organizations.tenant.TenantSql;
import dev.okr.organizations.tenant.TenantTable;
import dev.okr.platform.http.ListQuery;
import dev.okr.platform.http.Slice;
import dev.okr.platform.ids.IdKind;
import dev.okr.platform.ids.UuidV7;
import dev.okr.platform.transactions.Sql;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A stored event. Only {@link Outbox} writes events. They never change.
 *
 * @param type the type as the API writes it, such as {@code objective.updated}
 * @param payload the body of the event's deliveries
 */
public record Event(String type, String payload) {
    private static final TenantTable<Event> TABLE = new TenantTable<>(
            "event",
            List.of("id", "type", "created_at", "payload"),
            row -> new Event(row.getString("type"), row.getString("payload")));

    private static final String READ =
            "SELECT " + TABLE.columns("e") + " FROM event e WHERE e.organization_id = :organization AND e.id = ?";

    private static final String TYPES =
            "SELECT id, type FROM event WHERE organization_id = :organization AND id = ANY (?)";

    /** An event that a row of the organisation refers to. */
    public static Event require(UUID id) {
        return TenantSql.current().first(TABLE.reader(), READ, id).orElseThrow();
    }

    /** The types of some events, by public id. */
    public static Map<String, String> types(Collection<UUID> ids) {
        var types = new HashMap<String, String>();
        if (!ids.isEmpty()) {
            TenantSql.current()
                    .list(
                            row -> types.put(IdKind.EVENT.format(Sql.uuid(row, "id")), row.getString("type")),
                            TYPES,
                            ids);
        }
        return types;
    }

    /** @param resourceId the public id of a resource of any kind */
    static Slice<Event> list(
            ListQuery query, @Nullable EventType type, @Nullable String resourceId, @Nullable Instant since) {
        var events = NewestFirst.byId(TABLE)
                .with("type", type == null ? null : type.type())
                .with("resource_id", resourceId);
        return (since == null ? events : events.where("e.id >= ?", UuidV7.least(since))).slice(query);
    }
}
