package dev.okr.operations.commands;

import dev.okr.operations.moving.ImportResponse;
import dev.okr.operations.moving.ImportStatus;
import dev.okr.organizations.EmailAddress;
import dev.okr.organizations.Slug;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;

/** An import of a file. The subclasses read different formats. */
abstract class ImportingCommand extends DatabaseCommand {
    private static final int BUFFER_BYTES = 64 * 1_024;
    private static final int GZIP_1 = 0x1F;
    private static final int GZIP_2 = 0x8B;

    private static final String FIRST_ADMIN = """
            SELECT id FROM users WHERE organization_id = ? AND role = 'admin' AND deactivated_at IS NULL
            ORDER BY created_at, id LIMIT 1
            """;

    // These options are not marked as required, because picocli would also require them before the subcommand.
    @Option(names = "--organization", paramLabel = "SLUG", description = "The slug of the organisation. Required.")
    @Nullable
    Slug organization;

    @Option(
            names = "--as",
            paramLabel = "EMAIL",
            description = "The admin who owns resources without an owner in the file. The"
                    + " default is the oldest active admin.")
    @Nullable
    EmailAddress author;

    @Option(names = "--dry-run", description = "Checks all lines and writes nothing.")
    boolean isDryRun;

    @Option(names = "--notify", description = "Sends the events of the import to webhooks too.")
    boolean notifies;

    @Parameters(index = "0", arity = "0..1", paramLabel = "FILE", description = "The file to import. Required.")
    @Nullable
    Path file;

    @Override
    void check() {
        if (organization == null) {
            throw new ParameterException(spec.commandLine(), "Missing required option: '--organization=SLUG'");
        }
        if (file == null) {
            throw new ParameterException(spec.commandLine(), "Missing required parameter: 'FILE'");
        }
    }

    @Override
    void run(Operations operations) throws Exception {
        if (organization == null || file == null) {
            throw new IllegalStateException("The arguments were not checked.");
        }
        var id = operations.organization(organization.text()).id();
        var user = user(operations, id);
        var progress = new ProgressLine(spec.commandLine().getErr());
        try (var in = open(file)) {
            boolean isCompressed = isCompressed(in);
            var result = operations
                    .imports()
                    .run(id, user, isDryRun, notifies, isCompressed, in, done -> progress.bar("Importing", done));
            progress.end();
            report(result);
        } catch (IOException e) {
            throw new CommandFailure(file + " cannot be read: " + e.getMessage());
        } finally {
            progress.end();
        }
    }

    /** The lines of the file. */
    InputStream open(Path path) throws IOException {
        return new BufferedInputStream(Files.newInputStream(path), BUFFER_BYTES);
    }

    /** The place of a line in its source, for error messages. */
    String place(int line) {
        return "line " + line;
    }

    private static boolean isCompressed(InputStream in) throws IOException {
        if (!in.markSupported()) {
            return false;
        }
        in.mark(2);
        boolean isGzip = in.read() == GZIP_1 && in.read() == GZIP_2;
        in.reset();
        return isGzip;
    }

    private UUID user(Operations operations, UUID organizationId) throws Exception {
        if (author == null) {
            return operations
                    .transaction(sql -> sql.first(row -> row.getObject("id", UUID.class), FIRST_ADMIN, organizationId))
                    .orElseThrow(() -> new CommandFailure("The organisation has no active admin."));
        }
        var user = operations.user(author);
        if (!user.organizationId().equals(organizationId)) {
            throw new CommandFailure(author + " is not a user of this organisation.");
        }
        return user.id();
    }

    private void report(ImportResponse result) {
        for (var error : result.errors()) {
            var pointer = error.pointer().isEmpty() ? "" : " " + error.pointer();
            say(error.line() == null ? error.reason() : place(error.line()) + pointer + ": " + error.reason());
        }
        if (result.status() != ImportStatus.SUCCEEDED) {
            var reason = result.rejected() == 0 ? "The import failed." : result.rejected() + " lines have errors.";
            throw new CommandFailure(reason + " Nothing was written.");
        }
        say("%s%d created, %d changed, %d unchanged."
                .formatted(
                        result.dryRun() ? "Nothing was written. An import would have this result: " : "",
                        result.created(),
                        result.updated(),
                        result.unchanged()));
    }
}
