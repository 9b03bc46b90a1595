package dev.okr.operations.moving;

import dev.okr.operations.moving.ImportStore.Result;
import dev.okr.platform.transactions.DatabaseClock;
import dev.okr.platform.transactions.OrganizationSearch;
import dev.okr.platform.transactions.Sql;
import dev.okr.platform.transactions.SqlFailures;
import io.agroal.api.AgroalDataSource;
import io.quarkus.runtime.ShutdownDelayInitiatedEvent;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.scheduler.Scheduled;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.jboss.logging.Logger;

/**
 * Runs imports. Each replica runs one import of any size at a time. At the same time it runs one small import, so that a
 * large import of one organisation does not delay the small imports of others for hours. Deletes old imports, and files
 * that are no longer needed.
 */
@ApplicationScoped
class ImportJob {
    private static final Logger LOG = Logger.getLogger(ImportJob.class);

    private static final int MAX_ORGANIZATIONS = 100;
    private static final int MAX_PRUNED = 100;
    private static final Duration RETENTION = Duration.ofDays(30);

    /** Longer than an upload can take. */
    private static final Duration UPLOADS_END_AFTER = Duration.ofHours(1);

    private static final String FIND = """
            /* all organizations */
            SELECT DISTINCT organization_id FROM import
            WHERE %s status IN ('pending', 'running') AND (lease_until IS NULL OR lease_until < now()) LIMIT ?
            """;

    /** The maximum size of a small import. A compressed file is not small, because it can be 1,000 times as large. */
    private static final int SMALL_BYTES = 1_024 * 1_024;

    // The next import of an organisation is any of its imports, so all of them must be small.
    private static final String FIND_SMALL = """
            /* all organizations */
            SELECT organization_id FROM import
            WHERE %s status IN ('pending', 'running') AND (lease_until IS NULL OR lease_until < now())
            GROUP BY organization_id HAVING NOT bool_or(gzip) AND max(bytes) <= ? LIMIT ?
            """;
    private static final String FIND_OLD = """
            /* all organizations */
            SELECT organization_id, id FROM import
            WHERE %s created_at < ? AND (created_at < ? OR status = 'uploading') AND status NOT IN ('pending', 'running')
            ORDER BY created_at LIMIT ?
            """;

    /** During this time, an admin can import the file of a dry run without sending it again. */
    private static final Duration DRY_RUN_KEPT = Duration.ofHours(1);

    private static final String FIND_FILES = """
            /* all organizations */
            SELECT i.organization_id, i.id FROM import i
            WHERE %s i.status IN ('succeeded', 'failed') AND i.bytes > 0
                AND NOT (i.dry_run AND i.status = 'succeeded' AND i.finished_at > ?)
            LIMIT ?
            """;
    private static final String DELETE = "DELETE FROM import WHERE organization_id = ? AND id = ?";
    private static final String DELETE_FILE = "DELETE FROM import_piece WHERE organization_id = ? AND import_id = ?";
    private static final String FORGET_FILE = "UPDATE import SET bytes = 0 WHERE organization_id = ? AND id = ?";

    private final AgroalDataSource database;
    private final OrganizationSearch search;
    private final ImportStore store;
    private final Importer importer;
    private final DatabaseClock clock;

    ImportJob(
            AgroalDataSource database,
            OrganizationSearch search,
            ImportStore store,
            Importer importer,
            DatabaseClock clock) {
        this.database = database;
        this.search = search;
        this.store = store;
        this.importer = importer;
        this.clock = clock;
    }

    private record Found(UUID organization, UUID id) {}

    void stop(@Observes ShutdownDelayInitiatedEvent event) {
        importer.stop();
    }

    void stop(@Observes ShutdownEvent event) {
        importer.stop();
    }

    @Scheduled(every = "{okr.imports.poll-every}", concurrentExecution = Scheduled.ConcurrentExecution.SKIP)
    void run() {
        run(FIND, MAX_ORGANIZATIONS);
    }

    @Scheduled(every = "{okr.imports.poll-every}", concurrentExecution = Scheduled.ConcurrentExecution.SKIP)
    void runSmall() {
        run(FIND_SMALL, SMALL_BYTES, MAX_ORGANIZATIONS);
    }

    private void run(String find, Object... parameters) {
        try {
            var organizations = search.run((sql, condition) ->
                    sql.list(row -> Sql.uuid(row, "organization_id"), find.formatted(condition), parameters));
            for (var organization : organizations) {
                search.visit(organization, () -> run(organization));
            }
        } catch (SQLException e) {
            LOG.warnf("Imports were not found. The next run tries again: %s", SqlFailures.reason(e));
        }
    }

    private boolean run(UUID organization) {
        var claim = store.claim(organization);
        if (claim.isPresent() && claim.get().byCommand()) {
            store.finish(claim.get(), Result.failed("unavailable", "The command was interrupted."));
        } else {
            claim.ifPresent(each -> importer.run(each, done -> {}));
        }
        return claim.isPresent();
    }

    @Scheduled(every = "{okr.imports.prune-every}", concurrentExecution = Scheduled.ConcurrentExecution.SKIP)
    void prune() {
        try {
            var now = clock.now();
            for (var each : found(FIND_FILES, now.minus(DRY_RUN_KEPT), MAX_PRUNED)) {
                search.visit(
                        each.organization,
                        () -> Sql.transaction(database, sql -> {
                            sql.update(DELETE_FILE, each.organization, each.id);
                            return sql.update(FORGET_FILE, each.organization, each.id);
                        }));
            }
            for (var each : found(FIND_OLD, now.minus(UPLOADS_END_AFTER), now.minus(RETENTION), MAX_PRUNED)) {
                search.visit(
                        each.organization,
                        () -> Sql.transaction(database, sql -> sql.update(DELETE, each.organization, each.id)));
            }
        } catch (SQLException e) {
            LOG.warnf("Old imports were not deleted. The next run tries again: %s", SqlFailures.reason(e));
        }
    }

    private List<Found> found(String statement, Object... parameters) throws SQLException {
        return search.run((sql, condition) -> sql.list(
                row -> new Found(Sql.uuid(row, "organization_id"), Sql.uuid(row, "id")),
                statement.formatted(condition),
                parameters));
    }
}
