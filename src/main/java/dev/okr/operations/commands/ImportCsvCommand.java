package dev.okr.operations.commands;

import dev.okr.operations.csv.CsvLines;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
        name = "csv",
        description = {
            "Imports a spreadsheet, or the CSV export of another product.",
            "The mapping says which columns fill which fields. See docs/migration.md."
        })
final class ImportCsvCommand extends ImportingCommand {
    @Option(names = "--mapping", required = true, paramLabel = "FILE", description = "The mapping file, in YAML.")
    Path mapping;

    private @Nullable CsvLines lines;

    @Override
    InputStream open(Path path) throws IOException {
        var yaml = mapping();
        var converted = Files.createTempFile("okr-import", ".ndjson");
        try (var csv = Files.newBufferedReader(path);
                var out = Files.newBufferedWriter(converted, StandardCharsets.UTF_8)) {
            lines = CsvLines.write(yaml, csv, out);
        } catch (IllegalArgumentException e) {
            Files.delete(converted);
            throw new CommandFailure(String.valueOf(e.getMessage()));
        } catch (CharacterCodingException e) {
            Files.delete(converted);
            throw new CommandFailure(path + " is not UTF-8. Save it as \"CSV UTF-8\".");
        } catch (IOException | RuntimeException e) {
            Files.delete(converted);
            throw e;
        }
        return Files.newInputStream(converted, StandardOpenOption.DELETE_ON_CLOSE);
    }

    private String mapping() {
        try {
            return Files.readString(mapping);
        } catch (CharacterCodingException e) {
            throw new CommandFailure(mapping + " is not UTF-8.");
        } catch (IOException e) {
            throw new CommandFailure(mapping + " cannot be read.");
        }
    }

    @Override
    String place(int line) {
        return lines == null ? super.place(line) : "row " + lines.row(line);
    }
}
