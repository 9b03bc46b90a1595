package dev.okr.organizations.audit;

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

    /** A change that no user makes. */
    public static Change by(Actor actor, UUID organizationId, Sql sql, Instant now) {
        return new Change(sql, organizationId, actor, null, now);
    }

    /** Adds an entry to the audit log. */
    public void record(AuditAction action, UUID subjectId, @Nullable String subjectName, @Nullable String detail)
            throws SQLException {
        AuditLog.write(this, action, subjectId, subjectName, detail);
    }
}
