package dev.okr;

import dev.okr.access.limits.ClientWatch;
import dev.okr.operations.commands.CommandLineTool;
import dev.okr.operations.database.EmbeddedDatabaseFailure;
import dev.okr.operations.database.OperatorMessage;
import io.quarkus.runtime.ApplicationLifecycleManager;
import io.quarkus.runtime.Quarkus;
import io.quarkus.runtime.annotations.QuarkusMain;
import java.util.Locale;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Starts the service or, with arguments, runs an operator command. If the service does not start, it prints what the
 * operator can do instead of a stack trace.
 */
@QuarkusMain
public final class Main {
    private static final Logger LOG = Logger.getLogger(Main.class);

    Main() {}

    public static void main(String... args) {
        // SQL and headers need ASCII digits. In some locales, Java formats numbers with other digits.
        Locale.setDefault(Locale.ROOT);
        if (args.length == 0) {
            ClientWatch.Installer.enable();
            Quarkus.run(null, Main::ended, args);
        } else {
            System.exit(CommandLineTool.run(args));
        }
    }

    private static void ended(int exitCode, @Nullable Throwable failure) {
        if (failure != null) {
            // The embedded database logs its failure itself.
            EmbeddedDatabaseFailure.message().ifPresentOrElse(System.err::println, () -> report(failure));
        }
        ApplicationLifecycleManager.getDefaultExitCodeHandler().accept(exitCode, failure);
    }

    private static void report(Throwable failure) {
        var message = OperatorMessage.of(failure);
        if (message == null) {
            LOG.error("The service cannot start", failure);
        } else {
            System.err.println(message);
            LOG.error(message);
        }
    }
}
