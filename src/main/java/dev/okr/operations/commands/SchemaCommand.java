package dev.okr.operations.commands;

import java.sql.SQLException;
import java.time.Duration;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

@Command(
        name = "schema",
        description = "Creates, migrates and distributes the schema.",
        subcommands = {SchemaCommand.Migrate.class, SchemaCommand.Distribute.class})
final class SchemaCommand {

    /** Deployment tools run this command before they start the first replica of a new version. */
    @Command(
            name = "migrate",
            description = {
                "Creates the schema, or migrates it to the version of this program.",
                "If several commands run at the same time, one migrates and the others wait. A newer schema is not"
                        + " changed. Unlike a start of the service, this command sets no time limit for statements."
            })
    static final class Migrate extends DatabaseCommand {
        @Override
        Duration maxStatement() {
            return Duration.ZERO;
        }

        @Override
        void prepare(Schema schema) {
            say(message(schema.migrate()));
        }

        @Override
        void run(Operations operations) {}

        static String message(Schema.Migration migration) {
            var version = "The schema has version " + migration.version();
            if (migration.steps() > 0) {
                return "%s, by %d %s."
                        .formatted(version, migration.steps(), migration.steps() == 1 ? "migration" : "migrations");
            }
            return migration.version().compareTo(migration.newest()) > 0
                    ? version + ". It is newer than version " + migration.newest()
                            + " of this program and was not changed."
                    : version + " already.";
        }
    }

    /** Distributes the tables over several servers. See docs/operations/several-servers.md. */
    @Command(
            name = "distribute",
            description = {
                "Distributes the tables over the workers of a Citus coordinator, by organisation.",
                "Stop all replicas first. Replicas of the previous version must not run afterwards.",
                "If you repeat the command, it distributes only the tables that are not distributed yet."
            })
    static final class Distribute extends DatabaseCommand {
        @Option(
                names = "--shards",
                paramLabel = "COUNT",
                description = "The number of parts of each table. Only the first run uses it. Default:"
                        + " ${DEFAULT-VALUE}.")
        int shards = Distribution.DEFAULT_SHARDS;

        @Override
        Duration maxStatement() {
            return Duration.ZERO;
        }

        @Override
        void check() {
            if (shards < 1) {
                throw new ParameterException(spec.commandLine(), "--shards must be at least 1.");
            }
        }

        @Override
        void run(Operations operations) throws SQLException {
            Distribution.run(operations.database(), shards, this::say);
        }
    }
}
