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
 * Checks the schema before a command runs. A command fails if the schema has another version than the program. It does
 * not migrate the schema, because old replicas may still run. Only a start of the service and {@code schema migrate}
 * upgrade a schema. {@code organization create} also creates the schema in an empty database. If the database holds
 * other tables, it fails, since existing tables suggest that the database is the wrong one.
 */
@ApplicationScoped
class Schema {
    // Tables of extensions are ignored.
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

    /** @throws CommandFailure if the schema is missing or has another version than the program */
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
     * Migrates the schema to the version of this program, as a start of the service does. Flyway holds a lock in the
     * database, so that concurrent migrations wait. A newer schema is not changed, so that a rollback to an older
     * program is possible.
     */
    Migration migrate() {
        var done = flyway.migrate();
        return new Migration(done.migrationsExecuted, Objects.requireNonNull(current()), newest());
    }

    /** @param newest the newest version that this program knows */
    record Migration(int steps, MigrationVersion version, MigrationVersion newest) {}

    /**
     * Why the program cannot use the schema. Null if it can.
     *
     * @param current the version of the schema; null if there is none
     * @param newest the newest version that this program knows
     */
    static @Nullable String problem(@Nullable MigrationVersion current, MigrationVersion newest) {
        if (current == null) {
            return "The database has no schema of this service. Start the service with it, or run"
                    + " `organization create` or `schema migrate`.";
        }
        int difference = current.compareTo(newest);
        if (difference == 0) {
            return null;
        }
        var advice = difference < 0
                ? "Start this version of the service or run `schema migrate` first."
                : "Use the same version of the program as the service.";
        return "The schema has version %s, but this program needs %s. %s".formatted(current, newest, advice);
    }

    private void install() throws SQLException {
        var database = flyway.getConfiguration().getDataSource();
        boolean holdsOthers = Sql.transaction(
                database,
                sql -> sql.first(row -> row.getBoolean(1), HOLDS_OTHERS).orElseThrow());
        if (holdsOthers) {
            throw new CommandFailure("The database has other tables, but no schema of this service. Check the"
                    + " database URL. To use this database anyway, start the service with it first.");
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
