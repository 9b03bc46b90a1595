package dev.okr.operations.commands;

import dev.okr.platform.errors.Failure;
import io.quarkus.arc.Unremovable;
import io.quarkus.runtime.Quarkus;
import io.quarkus.runtime.QuarkusApplication;
import jakarta.enterprise.context.ApplicationScoped;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** A command that uses the database. Quarkus starts only if the arguments are valid. */
abstract class DatabaseCommand implements Callable<Integer> {
    /** Longer than in the service, because some statements read a whole table. */
    private static final Duration MAX_STATEMENT = Duration.ofMinutes(2);

    /** Passes the one command of this process to {@link Application}, which Quarkus creates. */
    private static @Nullable DatabaseCommand pending;

    @Spec
    CommandSpec spec;

    /**
     * Runs the command.
     *
     * @throws CommandFailure if the command fails
     * @throws Failure if a rule of the domain forbids the change
     */
    abstract void run(Operations operations) throws Exception;

    /**
     * Checks the schema before the command runs.
     *
     * @throws CommandFailure if the command cannot run with the schema
     */
    void prepare(Schema schema) throws SQLException {
        schema.require(false);
    }

    /** The time limit of a statement. Zero means no limit. */
    Duration maxStatement() {
        return MAX_STATEMENT;
    }

    /**
     * Checks the combination of arguments before Quarkus starts.
     *
     * @throws ParameterException for wrong usage
     */
    void check() {}

    @Override
    public final Integer call() {
        check();
        pending = this;
        CommandMode.enter(maxStatement());
        var exitCode = new AtomicInteger(ExitCode.SOFTWARE);
        Quarkus.run(Application.class, (code, failure) -> exitCode.set(ended(code, failure)));
        return exitCode.get();
    }

    /**
     * Prints to standard output, which is for tables and tokens only.
     *
     * @throws CommandFailure if the output cannot be written, such as on a full disk
     */
    final void print(Object result) {
        print(result, "");
    }

    /** @param advice what to do if the output cannot be written */
    final void print(Object result, String advice) {
        var out = spec.commandLine().getOut();
        out.print(result);
        // Writers hide failures, so ask both the writer and the stream below it.
        if (out.checkError() || System.out.checkError()) {
            throw new CommandFailure(("The output could not be written. " + advice).strip());
        }
    }

    /** Prints a message for people to standard error. */
    final void say(String message) {
        var err = spec.commandLine().getErr();
        err.println(message);
        err.flush();
    }

    private int ended(int exitCode, @Nullable Throwable failure) {
        if (failure == null) {
            return exitCode;
        }
        say(CommandFailure.reason(failure));
        return ExitCode.SOFTWARE;
    }

    /** Runs the command in place of the service. */
    @ApplicationScoped
    @Unremovable
    static class Application implements QuarkusApplication {
        private final Schema schema;
        private final Operations operations;

        Application(Schema schema, Operations operations) {
            this.schema = schema;
            this.operations = operations;
        }

        @Override
        public int run(String... arguments) throws Exception {
            var command = Objects.requireNonNull(pending);
            command.prepare(schema);
            command.run(operations);
            return ExitCode.OK;
        }
    }
}
