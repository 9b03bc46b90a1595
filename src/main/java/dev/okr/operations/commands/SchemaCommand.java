package dev.okr.operations.commands;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;

/** The tables of the database, apart from a start of the service. */
@Command(name = "schema", description = "Creates and migrates the schema.", subcommands = SchemaCommand.Migrate.class)
final class SchemaCommand {

    /** For whoever starts replicas, before the first of a new version. */
    @Command(
            name = "migrate",
            description = {
                "Creates the schema, or migrates it to the version of this program.",
                "Any number may run at the same moment: one migrates and the others wait for it. A newer schema is left"
                        + " as it is. Unlike a start of the service, it gives a statement all the time that it takes."
            })
    static final class Migrate extends DatabaseCommand {
        private Schema.@Nullable Migration migration;

        @Override
        Duration maxStatement() {
            return Duration.ZERO;
        }

        @Override
        void prepare(Schema schema) {
            migration = schema.migrate();
        }

        @Override
        void run(Operations operations) {
            if (migration != null) {
                say(message(migration));
            }
        }

        static String message(Schema.Migration migration) {
            var version = "The schema has version " + migration.version();
            if (migration.steps() > 0) {
                return version + ", by " + migration.steps()
                        + (migration.steps() == 1 ? " migration." : " migrations.");
            }
            return migration.version().compareTo(migration.newest()) > 0
                    ? version + ", newer than the " + migration.newest() + " of this program: left as it is."
                    : version + " already.";
        }
    }
}
