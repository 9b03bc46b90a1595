package dev.okr.operations.moving;

import dev.okr.access.limits.ByteQuotas;
import dev.okr.events.Outbox;
import dev.okr.objectives.imports.ObjectiveImport;
import dev.okr.objectives.moving.ImportErrors;
import dev.okr.objectives.moving.ImportSession;
import dev.okr.objectives.moving.Staging;
import dev.okr.operations.moving.ImportStore.Claim;
import dev.okr.operations.moving.ImportStore.Result;
import dev.okr.organizations.User;
import dev.okr.organizations.audit.Actor;
import dev.okr.organizations.audit.AuditAction;
import dev.okr.organizations.tenant.CurrentTenant;
import dev.okr.platform.errors.ErrorCode;
import dev.okr.platform.ids.IdKind;
import dev.okr.platform.time.UtcClock;
import dev.okr.platform.transactions.PendingWrites;
import dev.okr.platform.transactions.Sql;
import dev.okr.platform.transactions.SqlFailures;
import io.agroal.api.AgroalDataSource;
import io.quarkus.narayana.jta.QuarkusTransaction;
import jakarta.enterprise.context.ApplicationScoped;
import java.sql.SQLException;
import java.time.Duration;
import java.util.function.DoubleConsumer;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.jboss.logging.Logger;

/**
 * Runs an import in one transaction. It stages the lines in temporary tables, then checks and writes them. After an
 * error, and for a dry run, the transaction is rolled back. If the process stops before the commit, nothing is written.
 * The import starts again when its lease ends. The transaction that writes also sets the status. So an import is
 * written only once.
 */
@ApplicationScoped
class Importer {
    private static final Logger LOG = Logger.getLogger(Importer.class);

    private static final Duration MAX_DURATION = Duration.ofHours(6);
    private static final Duration RENEW_EVERY = Duration.ofSeconds(1);
    private static final Duration RETRY_AFTER = Duration.ofSeconds(2);

    /**
     * Includes attempts that ended because the process was killed, or because the database was not available. Attempts
     * that waited too long for a lock do not count, because another transaction was the cause.
     */
    private static final int MAX_ATTEMPTS = 50;

    /** Autovacuum collects the statistics after smaller imports soon enough. */
    private static final long LARGE = 1_000;

    private static final double STAGED = 0.2;
    private static final double APPLIED = 0.9;

    private static final String TOO_LONG =
            "The import took over a minute, and webhooks are busy. Split the file or try again later.";

    private static final String SLUG = "SELECT name FROM organization WHERE id = ?";

    private final AgroalDataSource database;
    private final ImportStore store;
    private final CurrentTenant tenant;
    private final UtcClock clock;
    private final PendingWrites writes;
    private final Outbox outbox;
    private final ByteQuotas quotas;
    private final DeadRows deadRows;
    private final long maxBytes;
    private volatile boolean isStopping;

    Importer(
            AgroalDataSource database,
            ImportStore store,
            CurrentTenant tenant,
            UtcClock clock,
            PendingWrites writes,
            Outbox outbox,
            ByteQuotas quotas,
            DeadRows deadRows,
            @ConfigProperty(name = "okr.imports.max-inflated-bytes") long maxBytes) {
        this.database = database;
        this.store = store;
        this.tenant = tenant;
        this.clock = clock;
        this.writes = writes;
        this.outbox = outbox;
        this.quotas = quotas;
        this.deadRows = deadRows;
        this.maxBytes = maxBytes;
    }

    /** Ends a transaction without its changes. */
    private static final class NotWritten extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private final transient Result result;

        NotWritten(Result result) {
            super("not written", null, false, false);
            this.result = result;
        }
    }

    /** Another process runs the import now, this one stops, or the access of a user is about to end. */
    private static final class Interrupted extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Interrupted() {
            super("interrupted", null, false, false);
        }
    }

    /** Interrupts a running import and discards its changes. Another replica starts it again. */
    void stop() {
        isStopping = true;
    }

    /**
     * Runs a claimed import. The request context is active.
     *
     * @param progress receives the completed fraction of the work, from time to time
     */
    void run(Claim claim, DoubleConsumer progress) {
        tenant.bind(claim.organization());
        if (claim.attempts() > MAX_ATTEMPTS) {
            store.finish(claim, Result.failed("unavailable", "The import was interrupted too often."));
            return;
        }
        long created = 0;
        try {
            created = QuarkusTransaction.requiringNew()
                    .timeout((int) MAX_DURATION.toSeconds())
                    .call(() -> write(claim, progress));
        } catch (NotWritten ended) {
            store.finish(claim, ended.result);
        } catch (Interrupted e) {
            LOG.infof("The import %s was interrupted", IdKind.IMPORT.format(claim.id()));
            if (isStopping) {
                store.release(claim, Duration.ZERO);
            } else {
                // The end of the access comes first.
                store.releaseUncounted(claim, RETRY_AFTER);
            }
        } catch (RuntimeException e) {
            retryOrFail(claim, e);
        }
        if (created >= LARGE) {
            analyze(created);
        }
    }

    /**
     * Retries after a stop, a conflict or an outage. Other failures end the import, because they would probably occur
     * again. Imports of commands are not retried.
     */
    private void retryOrFail(Claim claim, RuntimeException failure) {
        var id = IdKind.IMPORT.format(claim.id());
        if (claim.byCommand()) {
            store.finish(claim, Result.failed(ErrorCode.UNAVAILABLE.code(), SqlFailures.reason(failure)));
        } else if (isStopping || SqlFailures.isConflict(failure) || SqlFailures.isUnavailable(failure)) {
            LOG.warnf("The import %s starts again: %s", id, SqlFailures.reason(failure));
            if (SqlFailures.isLockTimeout(failure)) {
                store.releaseUncounted(claim, RETRY_AFTER);
            } else {
                store.release(claim, RETRY_AFTER);
            }
        } else {
            LOG.errorf(failure, "The import %s failed", id);
            store.finish(
                    claim,
                    Result.failed(
                            ErrorCode.INTERNAL_ERROR.code(),
                            "An unexpected error occurred. The service has logged it."));
        }
    }

    private void analyze(long created) {
        try (var connection = database.getConnection()) {
            ObjectiveImport.analyze(new Sql(connection), created);
        } catch (SQLException e) {
            // Autovacuum does the same later.
            LOG.infof("The statistics after an import were not collected: %s", SqlFailures.reason(e));
        }
    }

    /** Returns the number of created rows. */
    private long write(Claim claim, DoubleConsumer progress) throws SQLException {
        try (var connection = database.getConnection()) {
            // Uses no cached plans, because each import has different temporary tables.
            var sql = new Sql(connection, true);
            if (!store.remember(claim, sql)) {
                throw new Interrupted();
            }
            var watch = new Watch(claim, progress);
            var staging = Staging.begin(sql, watch::check);
            var bulk = outbox.bulk(sql, claim.organization(), claim.user(), claim.notifies());
            var session = new ImportSession(
                    sql,
                    claim.organization(),
                    claim.user(),
                    claim.byCommand() ? Actor.OPERATOR : Actor.USER,
                    clock.now(),
                    staging,
                    bulk,
                    watch::applied);
            var reader = new LineReader(staging, session.errors(), maxBytes);
            boolean isWhole = reader.read(new PieceStream(sql, claim, watch::staged), claim.isCompressed());
            watch.lines = reader.staged();
            if (isWhole) {
                ObjectiveImport.lock();
                requireAdmin(claim);
                ObjectiveImport.apply(session, writes);
            }
            finish(claim, session, reader.staged());
            quotas.chargeEventsOfImport(claim.organization(), claim.user(), bulk.characters(), reader.bytes());
            return session.created();
        }
    }

    /** Called under the lock on the organisation. The user may have been demoted since the upload. */
    private static void requireAdmin(Claim claim) {
        if (!User.isAdmin(claim.user())) {
            throw new NotWritten(
                    Result.failed(ErrorCode.FORBIDDEN.code(), "The user who imports is no longer an active admin."));
        }
    }

    private void finish(Claim claim, ImportSession session, int lines) throws SQLException {
        var errors = session.errors();
        if (!errors.isEmpty()) {
            throw new NotWritten(failed(errors, lines));
        }
        var result = new Result(
                ImportStatus.SUCCEEDED,
                lines,
                session.created(),
                session.updated(),
                session.unchanged(),
                0,
                errors.first());
        if (claim.isDryRun()) {
            throw new NotWritten(result);
        }
        if (session.created() + session.updated() > 0) {
            var name = session.sql()
                    .first(row -> row.getString("name"), SLUG, claim.organization())
                    .orElseThrow();
            var detail = "%s: %d created, %d changed"
                    .formatted(IdKind.IMPORT.format(claim.id()), session.created(), session.updated());
            session.change().record(AuditAction.ORGANIZATION_DATA_IMPORTED, claim.organization(), name, detail);
        }
        if (!store.finish(session.sql(), claim, result)) {
            throw new Interrupted();
        }
    }

    private static Result failed(ImportErrors errors, int lines) {
        return new Result(ImportStatus.FAILED, lines, 0, 0, 0, errors.rejected(), errors.first());
    }

    /** Renews the lease and counts the completed work. */
    private final class Watch {
        private final Claim claim;
        private final DoubleConsumer progress;
        private final long startNanos = System.nanoTime();
        private long nextNanos = startNanos;
        private double done;
        private long lines;
        private long applied;

        Watch(Claim claim, DoubleConsumer progress) {
            this.claim = claim;
            this.progress = progress;
        }

        void staged(long bytes) {
            done = STAGED * bytes / Math.max(1, claim.bytes());
            check();
        }

        void applied(int count) {
            applied += count;
            done = STAGED + (APPLIED - STAGED) * applied / Math.max(1, lines);
            check();
        }

        void check() {
            if (isStopping) {
                throw new Interrupted();
            }
            if (System.nanoTime() - nextNanos > 0) {
                nextNanos = System.nanoTime() + RENEW_EVERY.toNanos();
                progress.accept(done);
                // Operators decide when to run a command.
                if (!claim.byCommand() && deadRows.areTooMany(Duration.ofNanos(System.nanoTime() - startNanos))) {
                    throw new NotWritten(Result.failed(ErrorCode.UNAVAILABLE.code(), TOO_LONG));
                }
                if (!store.renew(claim, Math.min(done, 1), lines)) {
                    throw new Interrupted();
                }
            }
        }
    }
}
