package dev.okr.operations.commands;

import dev.okr.organizations.EmailAddress;
import dev.okr.platform.ids.IdKind;
import java.io.Console;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;

/** People. */
@Command(name = "user", description = "Erases people's data.", subcommands = UserCommand.Erase.class)
final class UserCommand {

    /** There is no way back, so it asks, unless it is told that someone has thought about it. */
    @Command(
            name = "erase",
            description = {
                "Erases a person's data for good.",
                "What the person did stays, as an erased user's. Texts that people wrote into objectives and notes are"
                        + " left as they are. Take the person out of the organisation file first, or the next start"
                        + " invites the person again."
            })
    static final class Erase extends DatabaseCommand {
        @Parameters(paramLabel = "EMAIL", description = "The address of the person.")
        EmailAddress email;

        @Option(names = "--yes", description = "Do not ask.")
        boolean yes;

        @Override
        void check() {
            if (!yes && terminal() == null) {
                throw new ParameterException(spec.commandLine(), "There is no terminal to ask on; confirm with --yes");
            }
        }

        @Override
        void run(Operations operations) throws Exception {
            var person = operations.transaction(sql -> UserLookup.require(sql, email));
            var publicId = IdKind.USER.format(person.id());
            var terminal = terminal();
            if (!yes && terminal != null && !confirmed(terminal, person, publicId)) {
                throw new CommandFailure("Nothing was erased.");
            }
            operations.change(person.organizationId(), (sql, now) -> {
                new Erasure(sql, now).erase(person);
                return person;
            });
            // Neither name nor address: this line may end up in a log.
            say("Erased " + publicId + " of " + person.slug() + ".");
        }

        private static @Nullable Console terminal() {
            var console = System.console();
            return console != null && console.isTerminal() ? console : null;
        }

        private static boolean confirmed(Console terminal, UserLookup person, String publicId) {
            var answer = terminal.readLine(
                    "Erase the data of %s (%s) of %s for good? Type yes: ", person.name(), publicId, person.slug());
            return answer != null && answer.strip().toLowerCase(Locale.ROOT).equals("yes");
        }
    }
}
