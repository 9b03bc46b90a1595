package dev.okr.operations.commands;

import io.quarkus.arc.Unremovable;
import io.quarkus.runtime.QuarkusApplication;
import jakarta.enterprise.context.ApplicationScoped;
import picocli.CommandLine.ExitCode;

/** Runs a command in place of the service. */
@ApplicationScoped
@Unremovable
public class CommandApplication implements QuarkusApplication {
    private final Schema schema;
    private final Operations operations;

    CommandApplication(Schema schema, Operations operations) {
        this.schema = schema;
        this.operations = operations;
    }

    @Override
    public int run(String... arguments) throws Exception {
        var command = DatabaseCommand.pending();
        command.prepare(schema);
        command.run(operations);
        return ExitCode.OK;
    }
}
