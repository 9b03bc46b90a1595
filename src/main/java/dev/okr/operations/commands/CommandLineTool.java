package dev.okr.operations.commands;

import dev.okr.access.Scope;
import dev.okr.organizations.EmailAddress;
import dev.okr.organizations.Plan;
import dev.okr.organizations.Role;
import dev.okr.organizations.Slug;
import dev.okr.platform.http.EnumNames;
import dev.okr.platform.http.Text;
import dev.okr.platform.time.Timestamps;
import java.io.IOException;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import java.util.Properties;
import java.util.function.Function;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.TypeConversionException;

/** The command line of the program. Without arguments, the program runs the service. */
@Command(
        name = "okr",
        scope = ScopeType.INHERIT,
        mixinStandardHelpOptions = true,
        versionProvider = CommandLineTool.Version.class,
        synopsisSubcommandLabel = "COMMAND",
        description = {
            "Operates the OKR service. Without a command, runs the service.",
            "",
            "Commands read the database and the encryption keys from the same environment variables as the service."
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:success", "1:failure; the reason is on standard error", "2:wrong usage"},
        commandListHeading = "%nCommands:%n",
        subcommands = {
            OrganizationCommand.class,
            KeyCommand.class,
            UserCommand.class,
            WebhookSecretsCommand.class,
            BootstrapCommand.class,
            SchemaCommand.class,
            ExportCommand.class,
            ImportCommand.class,
            HealthCommand.class,
            ListenCommand.class,
            TriggerCommand.class
        })
public final class CommandLineTool {
    private CommandLineTool() {}

    /** Runs one command and returns the exit code: 0 for success, 1 for failure, 2 for wrong usage. */
    public static int run(String... arguments) {
        return commands().execute(arguments);
    }

    static CommandLine commands() {
        return new CommandLine(new CommandLineTool())
                .registerConverter(Name.class, converter(Name::parse, Name.RULE))
                .registerConverter(
                        EmailAddress.class,
                        converter(EmailAddress::parse, "must be an email address such as ada@acme.test"))
                .registerConverter(Slug.class, converter(Slug::parse, Slug.RULE))
                .registerConverter(
                        Instant.class, converter(Timestamps::parse, "must be a timestamp such as 2027-01-01T00:00:00Z"))
                .registerConverter(Plan.class, constant(Plan.class))
                .registerConverter(Role.class, constant(Role.class))
                .registerConverter(Scope.class, constant(Scope.class))
                .setParameterExceptionHandler(CommandLineTool::explain)
                .setExecutionExceptionHandler((failure, command, parsed) -> {
                    command.getErr().println(CommandFailure.reason(failure));
                    return CommandLine.ExitCode.SOFTWARE;
                });
    }

    private static <E extends Enum<E>> ITypeConverter<E> constant(Class<E> type) {
        return converter(text -> EnumNames.parse(type, text), "must be one of " + EnumNames.names(type));
    }

    /** Converts an argument. An invalid argument is a usage error. */
    private static <T> ITypeConverter<T> converter(Function<String, Optional<T>> parse, String rule) {
        return text -> parse.apply(text).orElseThrow(() -> new TypeConversionException("'" + text + "' " + rule));
    }

    /** Prints two lines instead of the full help. */
    private static int explain(ParameterException mistake, String[] arguments) {
        var command = mistake.getCommandLine();
        command.getErr().println(mistake.getMessage());
        command.getErr().println("Try: " + command.getCommandSpec().qualifiedName() + " --help");
        return CommandLine.ExitCode.USAGE;
    }

    /** A name by the rules of the API: trimmed, 1 to 250 characters, no control characters. */
    record Name(String text) {
        private static final String RULE = "must have 1 to " + Text.MAX_TITLE_CODE_POINTS + " characters";

        static Optional<Name> parse(String raw) {
            var text = Text.normalize(raw);
            return !text.isEmpty() && !Text.isLonger(text, Text.MAX_TITLE_CODE_POINTS) && Text.isClean(text)
                    ? Optional.of(new Name(text))
                    : Optional.empty();
        }
    }

    /** The version of this build. Maven writes it to a file, so that it can be read without a start. */
    static final class Version implements IVersionProvider {
        private static final String FILE = "version.properties";

        @Override
        public String[] getVersion() throws IOException {
            try (var file = Objects.requireNonNull(Version.class.getResourceAsStream(FILE), FILE)) {
                var properties = new Properties();
                properties.load(file);
                return new String[] {"okr " + properties.getProperty("version", "unknown")};
            }
        }
    }
}
