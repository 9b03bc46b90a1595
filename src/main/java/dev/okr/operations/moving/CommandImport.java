package dev.okr.operations.moving;

import dev.okr.operations.moving.ImportStore.Claim;
import dev.okr.organizations.audit.Change;
import dev.okr.organizations.tenant.CurrentTenant;
import dev.okr.platform.errors.Failure;
import io.quarkus.arc.Arc;
import jakarta.enterprise.context.ApplicationScoped;
import java.io.IOException;
import java.io.InputStream;
import java.sql.SQLException;
import java.time.Duration;
import java.util.UUID;
import java.util.function.DoubleConsumer;

/**
 * Imports for the command line. The file is stored in the database, as for the API. This process runs the import, after
 * the earlier imports of the organisation.
 */
@ApplicationScoped
public class CommandImport {
    private static final Duration WAIT = Duration.ofMillis(500);

    private final Uploads uploads;
    private final ImportStore store;
    private final Importer importer;
    private final CurrentTenant tenant;

    CommandImport(Uploads uploads, ImportStore store, Importer importer, CurrentTenant tenant) {
        this.uploads = uploads;
        this.store = store;
        this.importer = importer;
        this.tenant = tenant;
    }

    /** Deletes the stored files of the organisation, which can contain names and addresses of people. */
    public static void deleteFiles(Change change) throws SQLException {
        ImportStore.deleteFiles(change.sql(), change.organizationId());
    }

    /**
     * Imports a file and returns the result.
     *
     * @param user the admin who owns resources without an owner in the file
     * @param progress receives the completed fraction of the work
     */
    public ImportResponse run(
            UUID organization,
            UUID user,
            boolean isDryRun,
            boolean notifies,
            boolean isCompressed,
            InputStream file,
            DoubleConsumer progress)
            throws IOException, InterruptedException {
        var request = Arc.container().requestContext();
        request.activate();
        try {
            tenant.bind(organization);
            var options = new ImportOptions(isDryRun, notifies, true, isCompressed);
            var stored = uploads.store(organization, user, options, file, bytes -> {});
            importer.run(claim(organization, stored), progress);
            return ImportResponse.require(stored.id());
        } finally {
            request.terminate();
        }
    }

    /** @throws Failure if the import was deleted, or ended by another process */
    private Claim claim(UUID organization, Uploads.Stored stored) throws InterruptedException {
        var lease = store.queue(organization, stored.id(), stored.bytes());
        var claim = store.claimQueued(organization, lease);
        while (claim.isEmpty()) {
            Thread.sleep(WAIT);
            claim = store.claimQueued(organization, lease);
        }
        return claim.get();
    }
}
