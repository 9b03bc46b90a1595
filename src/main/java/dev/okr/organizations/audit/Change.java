package dev.okr.organizations.audit;

import dev.okr.platform.http.EnumNames;
import dev.okr.platform.ids.UuidV7;
import dev.okr.platform.transactions.Sql;
import java.sql.SQLException;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A change to one organisation, with its transaction, its author and its time. The classes that write a table take it
 * as an argument, so they work in requests, commands and starts of the service.
 *
 * @param userId the user who makes the change; null unless the actor is a user
 */
public record Change(
        Sql sql, UUID organizationId, Actor actor, @Nullable UUID userId, Instant now) {

    private static final String INSERT = """
            INSERT INTO audit_entry
                (organization_id, id, actor, user_id, action, subject_id, subject_name, detail, created_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            """;

    /** A change that no user makes. */
    public static Change by(Actor actor, UUID organizationId, Sql sql, Instant now) {
        return new Change(sql, organizationId, actor, null, now);
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
