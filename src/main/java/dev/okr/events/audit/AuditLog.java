package dev.okr.events.audit;

import dev.okr.platform.http.Caller;
import dev.okr.platform.http.EnumNames;
import dev.okr.platform.ids.UuidV7;
import dev.okr.platform.time.UtcClock;
import dev.okr.platform.transactions.Sql;
import io.agroal.api.AgroalDataSource;
import jakarta.enterprise.context.ApplicationScoped;
import java.sql.SQLException;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Records who did what, in the transaction of the change. An entry exists if and only if the change was committed.
 * {@code subjectName} and {@code detail} must not contain names of people, addresses or secrets.
 */
@ApplicationScoped
public class AuditLog {
    private static final String INSERT = """
            INSERT INTO audit_entry
                (organization_id, id, actor, user_id, action, subject_id, subject_name, detail, created_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            """;

    private final AgroalDataSource database;
    private final Caller caller;
    private final UtcClock clock;

    AuditLog(AgroalDataSource database, Caller caller, UtcClock clock) {
        this.database = database;
        this.caller = caller;
        this.clock = clock;
    }

    /** Records an action of the caller in the current transaction. */
    public void record(AuditAction action, UUID subjectId, @Nullable String subjectName, @Nullable String detail) {
        // Inside a transaction, Agroal returns the connection of the transaction.
        try (var connection = database.getConnection()) {
            write(
                    new Sql(connection),
                    caller.organizationId(),
                    Actor.USER,
                    caller.userId(),
                    action,
                    subjectId,
                    subjectName,
                    detail,
                    clock.now());
        } catch (SQLException e) {
            throw new IllegalStateException("could not write an audit entry", e);
        }
    }

    /** Records an action of an actor who is not a user, in the transaction of {@code sql}. */
    public static void record(
            Sql sql,
            Actor actor,
            UUID organizationId,
            AuditAction action,
            UUID subjectId,
            @Nullable String subjectName,
            @Nullable String detail,
            Instant now)
            throws SQLException {
        write(sql, organizationId, actor, null, action, subjectId, subjectName, detail, now);
    }

    private static void write(
            Sql sql,
            UUID organizationId,
            Actor actor,
            @Nullable UUID userId,
            AuditAction action,
            UUID subjectId,
            @Nullable String subjectName,
            @Nullable String detail,
            Instant now)
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
