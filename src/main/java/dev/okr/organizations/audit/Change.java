package dev.okr.organizations.audit;

import dev.okr.organizations.audit.ChangeEvents.Occurrence;
import dev.okr.platform.http.EnumNames;
import dev.okr.platform.ids.UuidV7;
import dev.okr.platform.transactions.Sql;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A change to one organisation, with its transaction, its author and its time. The classes that write a table take it
 * as an argument, so they work in requests, commands and starts of the service.
 *
 * @param userId the user who makes the change; null unless the actor is a user
 * @param events receives the changes that are events
 */
public record Change(
        Sql sql, UUID organizationId, Actor actor, @Nullable UUID userId, Instant now, ChangeEvents events) {

    private static final String INSERT = """
            INSERT INTO audit_entry
                (organization_id, id, actor, user_id, action, subject_id, subject_name, detail, created_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            """;

    /** A change that no user makes, without events. */
    public static Change by(Actor actor, UUID organizationId, Sql sql, Instant now) {
        return new Change(sql, organizationId, actor, null, now, ChangeEvents.NONE);
    }

    /** The same change, with events. */
    public Change with(ChangeEvents recorder) {
        return new Change(sql, organizationId, actor, userId, now, recorder);
    }

    /** Records that a resource was created, added, removed or deleted. */
    public void happened(String type, String resourceId, Object shown) throws SQLException {
        events.record(this, List.of(new Occurrence(type, resourceId, shown, null)));
    }

    /** Records that a resource was updated. There is no event if the API shows no difference. */
    public void updated(String type, String resourceId, Object before, Object after) throws SQLException {
        events.record(this, List.of(new Occurrence(type, resourceId, after, before)));
    }

    /** Adds an entry to the audit log. */
    public void record(AuditAction action, UUID subjectId, @Nullable String subjectName, @Nullable String detail)
            throws SQLException {
        sql.update(
                INSERT,
                organizationId,
                UuidV7.at(now),
                EnumNames.format(actor),
                userId,
                EnumNames.format(action),
                action.subject().format(subjectId),
                subjectName,
                detail,
                now);
    }
}
