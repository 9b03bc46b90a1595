package dev.okr.events;

import dev.okr.organizations.EmailAddress;
import dev.okr.organizations.UserWriter;
import dev.okr.organizations.audit.Change;
import dev.okr.organizations.tenant.NewestFirst;
import dev.okr.organizations.tenant.TenantSql;
import dev.okr.organizations.tenant.TenantTable;
import dev.okr.platform.http.ListQuery;
import dev.okr.platform.http.Slice;
import dev.okr.platform.ids.IdKind;
import dev.okr.platform.ids.UuidV7;
import dev.okr.platform.transactions.Sql;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A stored event. Only {@link Outbox} writes events. Their payloads never change, except when the data of a user are
 * erased.
 *
 * @param type the type as the API writes it, such as {@code objective.updated}
 * @param payload the body of the event's deliveries
 */
public record Event(String type, String payload) {
    private static final int MAX_ERASED_PER_STATEMENT = 500;

    /** The prefix of the event types whose payloads contain a user. */
    private static final String TYPES_OF_USERS = "user.";

    private static final TenantTable<Event> TABLE = new TenantTable<>(
            "event",
            List.of("id", "type", "created_at", "payload"),
            row -> new Event(row.getString("type"), row.getString("payload")));

    private static final String READ =
            "SELECT " + TABLE.columns("e") + " FROM event e WHERE e.organization_id = :organization AND e.id = ?";

    // This lock conflicts with the one of StoredResponses.
    private static final String LOCK_EVENTS_OF_USER = """
            SELECT id FROM event WHERE organization_id = ? AND resource_id = ? AND id > ?
            ORDER BY id LIMIT ? FOR UPDATE
            """;

    // Events show the name and the address of a user in `data`, and in `previous` if they have changed.
    private static final String ERASE_USER = """
            UPDATE event SET payload = (payload::jsonb
                || jsonb_build_object('data', payload::jsonb -> 'data'
                    || jsonb_build_object('name', ?::text, 'email', ?::text))
                || CASE WHEN payload::jsonb -> 'previous' -> 'name' IS NULL THEN '{}'::jsonb
                    ELSE jsonb_build_object('previous',
                        payload::jsonb -> 'previous' || jsonb_build_object('name', ?::text)) END)::text
            WHERE organization_id = ? AND id = ANY (?)
            """;

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

    /** Whether {@link #eraseUser} may change the events of a type. */
    public static boolean isErasable(String type) {
        return type.startsWith(TYPES_OF_USERS);
    }

    /**
     * Erases the name and the address of a user from the stored events. The later events of the user have neither. The
     * caller holds the lock on the user, so no event of the user is added at the same time.
     *
     * @param address the address that replaces the old one
     * @return the ids of the events. They are locked until the end of the transaction.
     */
    public static List<UUID> eraseUser(Change change, UUID userId, EmailAddress address) throws SQLException {
        var erased = new ArrayList<UUID>();
        var last = new UUID(0, 0);
        List<UUID> some;
        do {
            some = change.sql()
                    .list(
                            row -> Sql.uuid(row, "id"),
                            LOCK_EVENTS_OF_USER,
                            change.organizationId(),
                            IdKind.USER.format(userId),
                            last,
                            MAX_ERASED_PER_STATEMENT);
            if (!some.isEmpty()) {
                erase(change, address, some);
                erased.addAll(some);
                last = some.getLast();
            }
        } while (some.size() == MAX_ERASED_PER_STATEMENT);
        return erased;
    }

    private static void erase(Change change, EmailAddress address, List<UUID> ids) throws SQLException {
        change.sql()
                .update(
                        ERASE_USER,
                        UserWriter.ERASED_NAME,
                        address.text(),
                        UserWriter.ERASED_OLD_NAME,
                        change.organizationId(),
                        ids);
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
