package dev.okr.operations.moving;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.okr.objectives.moving.ImportErrors;
import dev.okr.objectives.moving.ImportErrors.LineError;
import dev.okr.organizations.audit.AccessLock;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.http.EnumNames;
import dev.okr.platform.ids.IdKind;
import dev.okr.platform.ids.UuidV7;
import dev.okr.platform.time.UtcClock;
import dev.okr.platform.transactions.Sql;
import io.agroal.api.AgroalDataSource;
import io.quarkus.narayana.jta.QuarkusTransaction;
import jakarta.enterprise.context.ApplicationScoped;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jboss.logging.Logger;

/**
 * The imports and their files in the database. The process that runs an import has a lease, which ends if it is not
 * renewed. The imports of an organisation run one at a time, in the order of their creation, because only the first
 * unfinished one can be claimed.
 */
@ApplicationScoped
class ImportStore {
    /** After this time without renewal, another replica starts the import again. */
    static final Duration LEASE = Duration.ofSeconds(15);

    private static final Logger LOG = Logger.getLogger(ImportStore.class);

    private static final String INSERT = """
            INSERT INTO import (organization_id, id, status, dry_run, notify, by_command, user_id, gzip, bytes, created_at)
            VALUES (?, ?, 'uploading', ?, ?, ?, ?, ?, 0, now())
            """;
    private static final String ADD_PIECE =
            "INSERT INTO import_piece (organization_id, import_id, number, content) VALUES (?, ?, ?, ?)";
    private static final String READ_PIECE =
            "SELECT content FROM import_piece WHERE organization_id = ? AND import_id = ? AND number = ?";
    private static final String DELETE =
            "DELETE FROM import WHERE organization_id = ? AND id = ? AND status = 'uploading'";
    private static final String COUNT_UNFINISHED =
            "SELECT count(*) FROM import WHERE organization_id = ? AND status IN ('pending', 'running')";
    private static final String ACCEPT =
            "UPDATE import SET status = 'pending', bytes = ? WHERE organization_id = ? AND id = ? AND status = 'uploading'";

    // Without this lock, two transactions could start two imports. Neither sees the import that the other one starts.
    private static final String LOCK_UNFINISHED = """
            SELECT id FROM import WHERE organization_id = ? AND status IN ('pending', 'running') ORDER BY id FOR UPDATE
            """;
    // An older import can become pending after a newer one has started.
    private static final String START_FIRST = """
            UPDATE import SET status = 'running', lease = ?, lease_until = now() + make_interval(secs => ?),
                attempts = attempts + 1, started_at = coalesce(started_at, ?)
            WHERE organization_id = ? AND id = (
                    SELECT i.id FROM import i WHERE i.organization_id = ? AND i.status IN ('pending', 'running')
                    ORDER BY i.status = 'running' DESC, i.id LIMIT 1)
            """;
    private static final String CLAIMED = "RETURNING id, user_id, dry_run, notify, by_command, gzip, bytes, attempts";
    private static final String CLAIM = START_FIRST + "AND (lease_until IS NULL OR lease_until < now()) " + CLAIMED;
    private static final String CLAIM_QUEUED = START_FIRST + "AND lease = ? " + CLAIMED;

    // The lease of the command prevents a replica from running its import.
    private static final String QUEUE = """
            UPDATE import SET status = 'pending', bytes = ?, lease = ?, lease_until = now() + make_interval(secs => ?)
            WHERE organization_id = ? AND id = ? AND status = 'uploading'
            """;
    private static final String KEEP_QUEUED = """
            UPDATE import SET lease_until = now() + make_interval(secs => ?) WHERE organization_id = ? AND lease = ?
            """;

    // Remembered in its own transaction, so that others can read it while the import runs.
    private static final String TRANSACTION = "SELECT pg_backend_pid() AS backend, now() AS started_at";
    private static final String REMEMBER = """
            UPDATE import SET backend = ?, transaction_at = ? WHERE organization_id = ? AND id = ? AND lease = ?
            """;
    private static final String REMEMBERED = """
            SELECT backend, transaction_at FROM import
            WHERE organization_id = ? AND id = ? AND backend IS NOT NULL AND transaction_at IS NOT NULL
            """;

    // A transaction is identified by its backend and its start. So no later transaction of the same backend is ended,
    // and
    // no other backend with the same number.
    private static final String END_TRANSACTION = """
            SELECT pg_terminate_backend(pid) FROM pg_stat_activity
            WHERE pid = ? AND xact_start = ? AND datname = current_database() AND usename = current_user
            """;

    private static final String RENEW = """
            UPDATE import SET lease_until = now() + make_interval(secs => ?), progress = ?, lines = ?
            WHERE organization_id = ? AND id = ? AND lease = ?
            """;
    private static final String RELEASE = """
            UPDATE import SET lease_until = now() + make_interval(secs => ?), attempts = attempts - ?
            WHERE organization_id = ? AND id = ? AND lease = ?
            """;
    private static final String FINISH = """
            UPDATE import SET status = ?, progress = 1, lines = ?, created_lines = ?, updated_lines = ?,
                unchanged_lines = ?, rejected_lines = ?, errors = ?, finished_at = ?, lease = NULL, lease_until = NULL
            WHERE organization_id = ? AND id = ? AND lease = ?
            """;

    // Imports whose file is no longer needed. The file of a successful dry run is kept until the next import ends.
    private static final String UNNEEDED =
            "organization_id = ? AND bytes > 0 AND (status = 'failed' OR status = 'succeeded' AND NOT (dry_run AND id = ?))";
    private static final String DELETE_PIECES =
            "DELETE FROM import_piece WHERE organization_id = ? AND import_id IN (SELECT id FROM import WHERE "
                    + UNNEEDED + ")";
    private static final UUID NO_IMPORT = new UUID(0, 0);
    private static final String FORGET_FILES = "UPDATE import SET bytes = 0 WHERE " + UNNEEDED;

    private final AgroalDataSource database;
    private final UtcClock clock;
    private final ObjectMapper json;

    ImportStore(AgroalDataSource database, UtcClock clock, ObjectMapper json) {
        this.database = database;
        this.clock = clock;
        this.json = json;
    }

    /** An import that this process runs. */
    record Claim(
            UUID organization,
            UUID id,
            UUID lease,
            UUID user,
            boolean isDryRun,
            boolean notifies,
            boolean byCommand,
            boolean isCompressed,
            long bytes,
            int attempts) {}

    /** A transaction that runs an import, by its server process and its start. */
    private record ImportTransaction(int backend, Instant startedAt) {
        static ImportTransaction current(ResultSet row) throws SQLException {
            return new ImportTransaction(row.getInt("backend"), Sql.instant(row, "started_at"));
        }

        static ImportTransaction remembered(ResultSet row) throws SQLException {
            return new ImportTransaction(row.getInt("backend"), Sql.instant(row, "transaction_at"));
        }
    }

    /** The result of an import. */
    record Result(
            ImportStatus status,
            long lines,
            long created,
            long updated,
            long unchanged,
            long rejected,
            List<LineError> errors) {
        /** A failure that belongs to no line. */
        static Result failed(String code, String reason) {
            return new Result(
                    ImportStatus.FAILED, 0, 0, 0, 0, 0, List.of(new LineError(ImportErrors.NO_LINE, "", code, reason)));
        }
    }

    /** Starts an upload. The import is not shown yet. */
    UUID begin(UUID organization, UUID user, ImportOptions options) {
        var id = UuidV7.at(clock.now());
        inTransaction(sql -> sql.update(
                INSERT,
                organization,
                id,
                options.isDryRun(),
                options.notifies(),
                options.byCommand(),
                user,
                options.isCompressed()));
        return id;
    }

    void addPiece(UUID organization, UUID id, int number, byte[] content) {
        inTransaction(sql -> sql.update(ADD_PIECE, organization, id, number, content));
    }

    static Optional<byte[]> piece(Sql sql, Claim claim, int number) throws SQLException {
        return sql.first(row -> row.getBytes("content"), READ_PIECE, claim.organization, claim.id, number);
    }

    /** Deletes an upload with its pieces. */
    void discard(UUID organization, UUID id) {
        inTransaction(sql -> sql.update(DELETE, organization, id));
    }

    long unfinished(UUID organization) {
        return inTransaction(sql ->
                sql.first(row -> row.getLong(1), COUNT_UNFINISHED, organization).orElseThrow());
    }

    /** Queues the import of a complete upload, in the current transaction. */
    void accept(UUID organization, UUID id, long bytes) throws SQLException {
        try (var connection = database.getConnection()) {
            new Sql(connection).update(ACCEPT, bytes, organization, id);
        }
    }

    /**
     * Claims the oldest unfinished import of an organisation, unless another process runs it. Also ends the transaction of
     * the previous owner, whose lease has expired. If that owner froze while it sent rows, no timeout of the database
     * releases its locks.
     */
    Optional<Claim> claim(UUID organization) {
        var lease = UuidV7.at(clock.now());
        return inTransaction(sql -> {
            sql.list(row -> true, LOCK_UNFINISHED, organization);
            var claim = sql.first(
                    row -> claim(organization, lease, row),
                    CLAIM,
                    lease,
                    LEASE.toSeconds(),
                    clock.now(),
                    organization,
                    organization);
            if (claim.isPresent()) {
                endTransaction(sql, claim.get());
            }
            return claim;
        });
    }

    private static void endTransaction(Sql sql, Claim claim) throws SQLException {
        var remembered = sql.first(ImportTransaction::remembered, REMEMBERED, claim.organization, claim.id);
        if (remembered.isPresent()) {
            var transaction = remembered.get();
            boolean isSignalled = sql.first(
                            row -> row.getBoolean(1), END_TRANSACTION, transaction.backend, transaction.startedAt)
                    .orElse(false);
            if (isSignalled) {
                LOG.warnf(
                        "The transaction of the previous owner of the import %s is being ended",
                        IdKind.IMPORT.format(claim.id));
            }
        }
    }

    /** Remembers the transaction that runs an import. Returns false if the lease was lost. */
    boolean remember(Claim claim, Sql sql) throws SQLException {
        var transaction = sql.first(ImportTransaction::current, TRANSACTION).orElseThrow();
        return inTransaction(other -> other.update(
                        REMEMBER, transaction.backend, transaction.startedAt, claim.organization, claim.id, claim.lease)
                == 1);
    }

    /** Queues a complete upload of a command. Returns the lease with which the command claims it. */
    UUID queue(UUID organization, UUID id, long bytes) {
        var lease = UuidV7.at(clock.now());
        inTransaction(sql -> sql.update(QUEUE, bytes, lease, LEASE.toSeconds(), organization, id));
        return lease;
    }

    /**
     * Renews the lease of a queued import. Claims the import if it is the next one.
     *
     * @throws Failure if the lease was lost
     */
    Optional<Claim> claimQueued(UUID organization, UUID lease) {
        return inTransaction(sql -> {
            sql.list(row -> true, LOCK_UNFINISHED, organization);
            if (sql.update(KEEP_QUEUED, LEASE.toSeconds(), organization, lease) == 0) {
                throw Failure.unavailable("The import was interrupted.", Duration.ZERO);
            }
            return sql.first(
                    row -> claim(organization, lease, row),
                    CLAIM_QUEUED,
                    lease,
                    LEASE.toSeconds(),
                    clock.now(),
                    organization,
                    organization,
                    lease);
        });
    }

    private static Claim claim(UUID organization, UUID lease, ResultSet row) throws SQLException {
        return new Claim(
                organization,
                Sql.uuid(row, "id"),
                lease,
                Sql.uuid(row, "user_id"),
                row.getBoolean("dry_run"),
                row.getBoolean("notify"),
                row.getBoolean("by_command"),
                row.getBoolean("gzip"),
                row.getLong("bytes"),
                row.getInt("attempts"));
    }

    /**
     * Renews the lease and shows the progress. Returns false if the lease was lost, or if somebody wants to end the
     * access of a user.
     */
    boolean renew(Claim claim, double progress, long lines) {
        var shown = BigDecimal.valueOf(progress).setScale(4, RoundingMode.DOWN);
        return inTransaction(sql -> (claim.byCommand || !AccessLock.isShared(sql, claim.organization))
                && sql.update(RENEW, LEASE.toSeconds(), shown, lines, claim.organization, claim.id, claim.lease) == 1);
    }

    /** Lets any process claim the import again after a delay. */
    void release(Claim claim, Duration after) {
        release(claim, after, 0);
    }

    /** Like {@link #release}, but the attempt does not count. */
    void releaseUncounted(Claim claim, Duration after) {
        release(claim, after, 1);
    }

    private void release(Claim claim, Duration after, int uncounted) {
        inTransaction(
                sql -> sql.update(RELEASE, after.toSeconds(), uncounted, claim.organization, claim.id, claim.lease));
    }

    /** Ends an import whose transaction was rolled back. */
    void finish(Claim claim, Result result) {
        inTransaction(sql -> finish(sql, claim, result));
    }

    /** Ends an import in the transaction of its changes, and deletes its file. Returns false if the lease was lost. */
    boolean finish(Sql sql, Claim claim, Result result) throws SQLException {
        boolean isFinished = sql.update(
                        FINISH,
                        EnumNames.format(result.status),
                        result.lines,
                        result.created,
                        result.updated,
                        result.unchanged,
                        result.rejected,
                        json.valueToTree(result.errors).toString(),
                        clock.now(),
                        claim.organization,
                        claim.id,
                        claim.lease)
                == 1;
        if (isFinished) {
            sql.update(DELETE_PIECES, claim.organization, claim.organization, claim.id);
            sql.update(FORGET_FILES, claim.organization, claim.id);
        }
        return isFinished;
    }

    /** Deletes the files of all imports that have ended. */
    static void deleteFiles(Sql sql, UUID organization) throws SQLException {
        sql.update(DELETE_PIECES, organization, organization, NO_IMPORT);
        sql.update(FORGET_FILES, organization, NO_IMPORT);
    }

    /** Runs in a separate transaction, even while the transaction of an import is open. */
    private <T> T inTransaction(Sql.Work<T, RuntimeException> work) {
        return QuarkusTransaction.requiringNew().call(() -> {
            try (var connection = database.getConnection()) {
                return work.run(new Sql(connection));
            }
        });
    }
}
