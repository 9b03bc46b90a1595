package dev.okr.operations.commands;

import dev.okr.operations.moving.Export;
import dev.okr.organizations.Slug;
import dev.okr.platform.ids.IdKind;
import java.io.BufferedOutputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

@Command(
        name = "export",
        description = "Writes all data of an organisation, one JSON object in each line. Compresses a file whose name"
                + " ends with .gz.")
final class ExportCommand extends DatabaseCommand {
    private static final int BUFFER_BYTES = 64 * 1_024;

    @Option(
            names = "--organization",
            required = true,
            paramLabel = "SLUG",
            description = "The slug of the organisation.")
    Slug organization;

    @Option(names = "--cycle", paramLabel = "ID", description = "The id of the only cycle to export.")
    @Nullable
    String cycle;

    @Option(names = "--output", paramLabel = "FILE", description = "The file to write. The default is standard output.")
    @Nullable
    Path output;

    @Override
    void check() {
        if (cycle != null && IdKind.CYCLE.parse(cycle).isEmpty()) {
            throw new ParameterException(
                    spec.commandLine(),
                    "'" + cycle + "' must be the id of a cycle such as cyc_01k9m2x7q4e8rvb3t5w6y0zacd");
        }
    }

    @Override
    void run(Operations operations) throws Exception {
        var id = operations.organization(organization.text()).id();
        var cycleId = cycle == null ? null : IdKind.CYCLE.require(cycle);
        if (cycleId != null) {
            Export.requireCycle(operations.database(), id, cycleId);
        }
        var progress = new ProgressLine(spec.commandLine().getErr());
        var lines = new AtomicLong();
        try {
            write(operations, id, cycleId, count -> {
                lines.set(count);
                progress.lines(count);
            });
        } catch (IOException e) {
            throw new CommandFailure("The export could not be written: " + e.getMessage());
        } finally {
            progress.end();
        }
        say("Exported %d lines.".formatted(lines.get()));
    }

    /**
     * Writes to a temporary name and renames the complete file. An interrupted export leaves only the temporary file.
     */
    private void write(Operations operations, UUID organizationId, @Nullable UUID cycleId, LongConsumer progress)
            throws Exception {
        if (output == null) {
            var out = new BufferedOutputStream(System.out, BUFFER_BYTES);
            Export.write(operations.database(), organizationId, cycleId, out, progress);
            out.flush();
            if (System.out.checkError()) {
                throw new IOException("standard output is closed");
            }
            return;
        }
        var part = output.resolveSibling(output.getFileName() + ".part");
        try (var out = open(part, output.toString().endsWith(".gz"))) {
            Export.write(operations.database(), organizationId, cycleId, out, progress);
        } catch (Exception e) {
            Files.deleteIfExists(part);
            throw e;
        }
        Files.move(part, output, StandardCopyOption.REPLACE_EXISTING);
    }

    private static OutputStream open(Path file, boolean isCompressed) throws IOException {
        var out = new BufferedOutputStream(new FileOutputStream(file.toFile()), BUFFER_BYTES);
        return isCompressed ? new GZIPOutputStream(out, BUFFER_BYTES) : out;
    }
}
