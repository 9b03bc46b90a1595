package dev.okr.commands;

import jakarta.enterprise.context.ApplicationScoped;
import java.util.Arrays;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.MigrationVersion;
import org.jspecify.annotations.Nullable;

/**
 * The schema that a command finds. Another version than this program's is refused and never migrated: a command may
 * come from an operator's own machine, ahead of the replicas that are still serving, and only a start of the service is
 * a decision to upgrade. Where there is no schema at all, nobody can be harmed by a new one; still, only a command that
 * begins an installation creates it, so that a wrong address is not answered with tables in somebody else's database.
 */
@ApplicationScoped
class Schema {
    private final Flyway flyway;

    Schema(Flyway flyway) {
        this.flyway = flyway;
    }

    /** @throws CommandFailure unless the schema is this program's */
    void require(boolean install) {
        var current = current();
        if (current == null && install) {
            flyway.migrate();
        } else {
            var problem = problem(current, newest());
            if (problem != null) {
                throw new CommandFailure(problem);
            }
        }
    }

    /** What is wrong with a schema of one version, when another is known; null for nothing. */
    static @Nullable String problem(@Nullable MigrationVersion current, MigrationVersion newest) {
        if (current == null) {
            return "The database has no schema of this service yet. Start the service on it, or begin with"
                    + " `organization create`.";
        }
        int difference = current.compareTo(newest);
        if (difference == 0) {
            return null;
        }
        var versions = "The database's schema has version " + current + ", this program needs " + newest + ": ";
        return versions
                + (difference < 0
                        ? "start this version of the service first, which migrates it."
                        : "use the program of the version that serves.");
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
