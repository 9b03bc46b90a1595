package dev.okr.events;

import dev.okr.organizations.tenant.NewestFirst;
import dev.okr.organizations.tenant.TenantEntity;
import dev.okr.organizations.tenant.TenantTable;
import dev.okr.platform.http.ListQuery;
import dev.okr.platform.http.Slice;
import dev.okr.platform.ids.UuidV7;
import dev.okr.platform.transactions.Sql;
import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.Table;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;
import org.hibernate.annotations.Immutable;
import org.jspecify.annotations.Nullable;

/** What happened to a resource. Events are written by the {@link Outbox} alone and never change. */
@Entity
@Immutable
@Table(name = "event")
public class Event extends TenantEntity {
    private static final TenantTable<Event> TABLE =
            new TenantTable<>("event", List.of("id", "type", "resource_id", "created_at", "payload"), Event::read);

    @Column(name = "type")
    String type;

    @Column(name = "resource_id")
    String resourceId;

    @Column(name = "created_at")
    Instant createdAt;

    @Column(name = "payload")
    String payload;

    protected Event() {}

    /** The type in its public form, such as {@code objective.updated}. */
    public String type() {
        return type;
    }

    /** The body of the event's deliveries. */
    public String payload() {
        return payload;
    }

    /** The types of some events, by id. */
    public static Map<UUID, String> types(Collection<UUID> ids) {
        if (ids.isEmpty()) {
            return Map.of();
        }
        return Event.<Event>list("id in ?1", ids).stream().collect(Collectors.toMap(Event::id, Event::type));
    }

    private static Event read(ResultSet row) throws SQLException {
        var event = unmanaged(new Event());
        event.id = Sql.uuid(row, "id");
        event.type = row.getString("type");
        event.resourceId = row.getString("resource_id");
        event.createdAt = Sql.instant(row, "created_at");
        event.payload = row.getString("payload");
        return event;
    }

    /** @param resourceId the public id of a resource, whatever its kind */
    static Slice<Event> list(
            ListQuery query, @Nullable EventType type, @Nullable String resourceId, @Nullable Instant since) {
        var events = NewestFirst.byId(TABLE, event -> event.createdAt)
                .with("type", type == null ? null : type.type())
                .with("resource_id", resourceId);
        return (since == null ? events : events.where("e.id >= ?", UuidV7.least(since))).slice(query);
    }
}
