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
 * Takes down who did what, in the transaction of the change: there is an entry if and only if the change has committed.
 * Neither {@code subjectName} nor {@code detail} may hold a person's name, address or any secret.
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

    /** The caller did this, within the current transaction. */
    public void record(AuditAction action, UUID subjectId, @Nullable String subjectName, @Nullable String detail) {
        // In a transaction, Agroal gives out the connection that the transaction is on.
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
            throw new IllegalStateException("an audit entry was not written", e);
        }
    }

    /** Nobody who is known did this, within the transaction that {@code sql} is in. */
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
