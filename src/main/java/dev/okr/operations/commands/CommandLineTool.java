package dev.okr.operations.commands;

import java.io.PrintWriter;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

/** The command line of the program. */
public final class CommandLineTool {
    private CommandLineTool() {}

    /** Runs one command and returns the exit code: 0 for success, 1 for failure, 2 for wrong usage. */
    public static int run(String... arguments) {
        return commands().execute(arguments);
    }

    static CommandLine commands() {
        var commands = new CommandLine(new OkrCommand());
        Arguments.register(commands);
        commands.setParameterExceptionHandler(CommandLineTool::explain);
        commands.setExecutionExceptionHandler((failure, command, parsed) -> {
            command.getErr().println(Reason.of(failure));
            return CommandLine.ExitCode.SOFTWARE;
        });
        return commands;
    }

    /** Prints two lines in place of a page of help. */
    private static int explain(ParameterException mistake, String[] arguments) {
        var command = mistake.getCommandLine();
        PrintWriter err = command.getErr();
        err.println(mistake.getMessage());
        err.println("Try: " + command.getCommandSpec().qualifiedName() + " --help");
        return CommandLine.ExitCode.USAGE;
    }
}
