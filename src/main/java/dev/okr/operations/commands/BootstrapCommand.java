package dev.okr.operations.commands;

import dev.okr.operations.provisioning.OrganizationFileParser;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

@Command(name = "bootstrap", description = "Checks the organisation file.", subcommands = BootstrapCommand.Check.class)
final class BootstrapCommand {

    /** Needs neither database nor configuration. */
    @Command(
            name = "check",
            description = "Checks an organisation file like a start of the service. Needs no database.")
    static final class Check implements Callable<Integer> {
        @Spec
        CommandSpec spec;

        @Parameters(paramLabel = "FILE", description = "The organisation file.")
        Path file;

        @Override
        public Integer call() {
            var err = spec.commandLine().getErr();
            try {
                var problems = OrganizationFileParser.problems(file);
                err.println(problems.orElse(file.getFileName() + ": no errors"));
                return problems.isPresent() ? ExitCode.SOFTWARE : ExitCode.OK;
            } catch (IOException e) {
                err.println(file + " cannot be read: " + e);
                return ExitCode.SOFTWARE;
            }
        }
    }
}
