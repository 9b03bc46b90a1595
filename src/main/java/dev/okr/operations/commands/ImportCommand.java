package dev.okr.operations.commands;

import picocli.CommandLine.Command;

@Command(
        name = "import",
        description = {
            "Imports the lines of an export. Either all lines are written, or none.",
            "The file may be compressed with gzip. Importing the same file again changes nothing."
        },
        subcommands = ImportCsvCommand.class)
final class ImportCommand extends ImportingCommand {}
