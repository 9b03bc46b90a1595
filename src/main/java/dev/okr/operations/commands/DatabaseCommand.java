package dev.okr.operations.commands;

import dev.okr.platform.errors.Failure;
import io.quarkus.runtime.Quarkus;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** A command that needs the service's database. Quarkus starts only when its arguments have been found right. */
abstract class DatabaseCommand implements Callable<Integer> {
    /** Nobody waits for an answer within five seconds, and some statements read a whole table. */
    private static final Duration MAX_STATEMENT = Duration.ofMinutes(2);

    /** The one command of this process, on its way from the command line to Quarkus, which makes its own instances. */
    private static @Nullable DatabaseCommand pending;

    @Spec
    CommandSpec spec;

    /**
     * Does what was asked for.
     *
     * @throws CommandFailure with the reason why not
     * @throws Failure with the rule that is against it
     */
    abstract void run(Operations operations) throws Exception;

    /**
     * Sees to the schema, before anything is done with it.
     *
     * @throws CommandFailure unless the command can be run with it
     */
    void prepare(Schema schema) throws SQLException {
        schema.require(false);
    }

    /** How long a statement may take; zero for as long as it does. */
    Duration maxStatement() {
        return MAX_STATEMENT;
    }

    /**
     * Looks at what single arguments do not tell, before anything is started.
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
        Quarkus.run(CommandApplication.class, (code, failure) -> exitCode.set(ended(code, failure)));
        return exitCode.get();
    }

    static DatabaseCommand pending() {
        if (pending == null) {
            throw new IllegalStateException("there is no command");
        }
        return pending;
    }

    /**
     * For tables and tokens, and nothing else.
     *
     * @throws CommandFailure when the output takes no more, as on a full disk
     */
    final void print(Object result) {
        print(result, "");
    }

    /** @param advice what to do when nobody has read the result */
    final void print(Object result, String advice) {
        var out = spec.commandLine().getOut();
        out.print(result);
        // Neither throws: what went wrong is to be asked for, and of the stream that the writer hides too.
        if (out.checkError() || System.out.checkError()) {
            throw new CommandFailure(("The output could not be written. " + advice).strip());
        }
    }

    /** For people. */
    final void say(String message) {
        var err = spec.commandLine().getErr();
        err.println(message);
        err.flush();
    }

    private int ended(int exitCode, @Nullable Throwable failure) {
        if (failure == null) {
            return exitCode;
        }
        say(Reason.of(failure));
        return ExitCode.SOFTWARE;
    }
}
