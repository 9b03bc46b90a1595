package dev.okr.operations.commands;

import picocli.CommandLine.Command;
import picocli.CommandLine.ScopeType;

/** What can follow the program's name. Without anything, the program serves. */
@Command(
        name = "okr",
        scope = ScopeType.INHERIT,
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        synopsisSubcommandLabel = "COMMAND",
        description = {
            "Operates the OKR service; without a command, serves.",
            "",
            "Commands take the database and the encryption keys from the same environment variables as the service."
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:done", "1:failed; the reason is on standard error", "2:wrong usage"},
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
