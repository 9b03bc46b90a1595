package dev.okr.organizations.audit;

import dev.okr.platform.errors.Failure;
import dev.okr.platform.http.Caller;
import dev.okr.platform.time.UtcClock;
import dev.okr.platform.transactions.Sql;
import io.agroal.api.AgroalDataSource;
import jakarta.enterprise.context.ApplicationScoped;
import java.sql.SQLException;
import java.util.Collection;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Records who did what. An entry is written in the transaction of the change, so it exists only if the change was
 * committed. Neither {@code subjectName} nor {@code detail} may hold a person's name, an email address or a secret.
 */
@ApplicationScoped
public class AuditLog {
    private static final String LOCK = "SELECT 1 FROM organization WHERE id = ? FOR NO KEY UPDATE";
    private static final String IS_ADMIN =
            "SELECT role = 'admin' FROM users WHERE organization_id = ? AND id = ? AND deactivated_at IS NULL";
    private static final String CLEAR_NAMES =
            "UPDATE audit_entry SET subject_name = NULL WHERE organization_id = ? AND subject_id = ANY (?::text[])";

    private final AgroalDataSource database;
    private final Caller caller;
    private final UtcClock clock;
    private final ChangeEvents events;

    AuditLog(AgroalDataSource database, Caller caller, UtcClock clock, ChangeEvents events) {
        this.database = database;
        this.caller = caller;
        this.clock = clock;
        this.events = events;
    }

    /** The work of a change. */
    @FunctionalInterface
    public interface Work<T extends @Nullable Object> {
        T apply(Change change) throws SQLException;
    }

    /** The work of a change that returns nothing. */
    @FunctionalInterface
    public interface Step {
        void apply(Change change) throws SQLException;
    }

    /** Makes a change in the current transaction, with the caller as its author. */
    public void run(Step step) {
        change(change -> {
            step.apply(change);
            return null;
        });
    }

    /** Makes a change as {@link #run} does, and returns its result. */
    public <T extends @Nullable Object> T change(Work<T> work) {
        // Within a transaction, Agroal returns the connection of the transaction.
        try (var connection = database.getConnection()) {
            var sql = new Sql(connection);
            requireUnchangedAuthor(sql);
            return work.apply(
                    new Change(sql, caller.organizationId(), Actor.USER, caller.userId(), clock.now(), events));
        } catch (SQLException e) {
            throw new IllegalStateException("A change could not be written.", e);
        }
    }

    /**
     * Shares the {@link AccessLock} in the current transaction. Call it before a change that ends the access of a user.
     */
    public void shareAccessLock() {
        try (var connection = database.getConnection()) {
            AccessLock.share(new Sql(connection), caller.organizationId());
        } catch (SQLException e) {
            throw new IllegalStateException("The lock on the access of people could not be shared.", e);
        }
    }

    /** Records an action of the caller in the current transaction. */
    public void record(AuditAction action, UUID subjectId, @Nullable String subjectName, @Nullable String detail) {
        run(change -> change.record(action, subjectId, subjectName, detail));
    }

    /**
     * Rejects a caller who lost the rights of an admin after the request arrived. Call it first in a transaction that
     * only admins may make and that writes no entry.
     */
    public void requireUnchangedAuthor() {
        run(change -> {});
    }

    /**
     * Reads the role of the caller again, under the lock on the organisation. All changes of users hold this lock. So
     * an admin who was deactivated meanwhile cannot make the change.
     */
    private void requireUnchangedAuthor(Sql sql) throws SQLException {
        sql.first(row -> true, LOCK, caller.organizationId());
        boolean isAdmin = sql.first(row -> row.getBoolean(1), IS_ADMIN, caller.organizationId(), caller.userId())
                .orElseThrow(() -> Failure.forbidden("You were deactivated."));
        if (caller.isAdmin() && !isAdmin) {
            throw Failure.forbidden("You are no longer an admin.");
        }
    }

    /** Removes the names of subjects from their entries. */
    public static void clearNames(Change change, Collection<String> subjectIds) throws SQLException {
        change.sql().update(CLEAR_NAMES, change.organizationId(), subjectIds);
    }
}
