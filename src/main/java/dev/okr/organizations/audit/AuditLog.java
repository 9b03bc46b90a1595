package dev.okr.organizations.audit;

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
            return work.apply(
                    new Change(sql, caller.organizationId(), Actor.USER, caller.userId(), clock.now(), events));
        } catch (SQLException e) {
            throw new IllegalStateException("A change could not be written.", e);
        }
    }

    /** Records an action of the caller in the current transaction. */
    public void record(AuditAction action, UUID subjectId, @Nullable String subjectName, @Nullable String detail) {
        run(change -> change.record(action, subjectId, subjectName, detail));
    }

    /** Removes the names of subjects from their entries. */
    public static void clearNames(Change change, Collection<String> subjectIds) throws SQLException {
        change.sql().update(CLEAR_NAMES, change.organizationId(), subjectIds);
    }
}
