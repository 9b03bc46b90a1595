package dev.okr.operations.commands;

import picocli.CommandLine.Command;
import picocli.CommandLine.ScopeType;

/** The root of the command line. Without arguments, the program runs the service. */
@Command(
        name = "okr",
        scope = ScopeType.INHERIT,
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
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
            HealthCommand.class
        })
final class OkrCommand {}
