package dev.okr.operations.commands;

import dev.okr.platform.transactions.Sql;
import jakarta.enterprise.context.ApplicationScoped;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.Objects;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.MigrationVersion;
import org.jspecify.annotations.Nullable;

/**
 * The schema that a command finds. Another version than this program's is refused, and not migrated by the way: a
 * command may come from an operator's own machine, ahead of the replicas that are still serving, and only a start of
 * the service or {@code schema migrate} is a decision to upgrade. Where there is nothing at all, nobody can be harmed
 * by a new one; still, only a command that begins an installation creates it. Beside the tables of others only these
 * two do: of other commands, these rather tell that the address is wrong.
 */
@ApplicationScoped
class Schema {
    // What an extension brought along is nobody's data.
    private static final String HOLDS_OTHERS = """
            SELECT EXISTS (
                SELECT 1 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
                WHERE n.nspname = current_schema() AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
                    AND NOT EXISTS (
                        SELECT 1 FROM pg_depend d
                        WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e'))
            """;

    private final Flyway flyway;

    Schema(Flyway flyway) {
        this.flyway = flyway;
    }

    /** @throws CommandFailure unless the schema is this program's */
    void require(boolean install) throws SQLException {
        var current = current();
        if (current == null && install) {
            install();
        } else {
            var problem = problem(current, newest());
            if (problem != null) {
                throw new CommandFailure(problem);
            }
        }
    }

    /**
     * Brings the schema up to this program's version, as a start of the service does. Of those that try at the same
     * moment one does it, and the others wait: Flyway holds a lock in the database meanwhile. A newer schema stays, so
     * that a program can be taken back to the version before.
     */
    Migration migrate() {
        var done = flyway.migrate();
        return new Migration(done.migrationsExecuted, Objects.requireNonNull(current()), newest());
    }

    /** How many steps were taken, where the schema is now, and what this program knows. */
    record Migration(int steps, MigrationVersion version, MigrationVersion newest) {}

    /** What is wrong with a schema of one version, when another is known; null for nothing. */
    static @Nullable String problem(@Nullable MigrationVersion current, MigrationVersion newest) {
        if (current == null) {
            return "The database has no schema of this service yet. Start the service on it, or begin with"
                    + " `organization create` or `schema migrate`.";
        }
        int difference = current.compareTo(newest);
        if (difference == 0) {
            return null;
        }
        var versions = "The database's schema has version " + current + ", this program needs " + newest + ": ";
        return versions
                + (difference < 0
                        ? "start this version of the service or `schema migrate` first."
                        : "use the program of the version that serves.");
    }

    private void install() throws SQLException {
        var database = flyway.getConfiguration().getDataSource();
        boolean holdsOthers = Sql.transaction(
                database,
                sql -> sql.first(row -> row.getBoolean(1), HOLDS_OTHERS).orElseThrow());
        if (holdsOthers) {
            throw new CommandFailure("The database has no schema of this service, but tables of others. Check the"
                    + " address; if these are to live together, start the service on it first.");
        }
        flyway.migrate();
    }

    private @Nullable MigrationVersion current() {
        var current = flyway.info().current();
        return current == null ? null : current.getVersion();
    }

    private MigrationVersion newest() {
        return Arrays.stream(flyway.info().all())
                .filter(migration -> migration.getState().isResolved() && migration.getVersion() != null)
                .map(migration -> migration.getVersion())
                .max(MigrationVersion::compareTo)
                .orElseThrow();
    }
}
