package dev.okr.operations.commands;

import java.time.Duration;
import picocli.CommandLine.Command;

@Command(name = "schema", description = "Creates and migrates the schema.", subcommands = SchemaCommand.Migrate.class)
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
}
