package dev.okr.operations.moving;

import dev.okr.access.limits.RequestGate;
import dev.okr.organizations.tenant.TenantSql;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.http.Caller;
import dev.okr.platform.ids.IdKind;
import dev.okr.platform.ids.UuidV7;
import dev.okr.platform.time.UtcClock;
import dev.okr.platform.transactions.CallerCheck;
import dev.okr.platform.transactions.RetriedTransaction;
import dev.okr.platform.transactions.Sql;
import io.agroal.api.AgroalDataSource;
import io.quarkus.narayana.jta.QuarkusTransaction;
import io.quarkus.vertx.http.runtime.CurrentVertxRequest;
import jakarta.enterprise.context.ApplicationScoped;
import java.io.IOException;
import java.io.InputStream;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;

/** The imports of the console, for the organisation of the request. */
@ApplicationScoped
class ConsoleImports {
    private static final String LAST = "SELECT " + ImportResponse.TABLE.columns("i")
            + " FROM import i WHERE i.organization_id = :organization AND i.status <> 'uploading'"
            + " ORDER BY i.id DESC LIMIT %d";

    private static final String START = """
            INSERT INTO import (organization_id, id, status, dry_run, notify, by_command, user_id, gzip, bytes, created_at)
            SELECT organization_id, ?, 'pending', false, false, false, ?, gzip, bytes, ? FROM import
            WHERE organization_id = ? AND id = ? AND dry_run AND status = 'succeeded' AND rejected_lines = 0
            """;
    private static final String MOVE_PIECES =
            "UPDATE import_piece SET import_id = ? WHERE organization_id = ? AND import_id = ?";

    private final Uploads uploads;
    private final AcceptedImports imports;
    private final ImportStore store;
    private final Caller caller;
    private final RequestGate gate;
    private final CurrentVertxRequest http;
    private final AgroalDataSource database;
    private final UtcClock clock;

    ConsoleImports(
            Uploads uploads,
            AcceptedImports imports,
            ImportStore store,
            Caller caller,
            RequestGate gate,
            CurrentVertxRequest http,
            AgroalDataSource database,
            UtcClock clock) {
        this.uploads = uploads;
        this.imports = imports;
        this.store = store;
        this.caller = caller;
        this.gate = gate;
        this.http = http;
        this.database = database;
        this.clock = clock;
    }

    /** Stores a file and starts a dry run of it. Returns the id of the dry run. */
    String check(InputStream file, boolean isCompressed) throws IOException {
        imports.requireRoom();
        var request = http.getCurrent();
        gate.endTurn(request);
        var organization = caller.organizationId();
        var user = caller.userId();
        var options = new ImportOptions(true, false, false, isCompressed);
        var stored = uploads.store(organization, user, options, file, gate.streaming(request, organization, user));
        try {
            CallerCheck.repeat();
        } catch (RuntimeException e) {
            uploads.discard(organization, stored.id());
            throw e;
        }
        QuarkusTransaction.requiringNew().call(() -> {
            store.accept(organization, stored.id(), stored.bytes());
            return stored;
        });
        return IdKind.IMPORT.format(stored.id());
    }

    /**
     * Starts the import of a file that a dry run has checked. Returns the id of the import.
     *
     * @throws Failure a conflict if the dry run has not succeeded, or its file was deleted
     */
    @RetriedTransaction
    String start(String dryRunId) throws SQLException {
        imports.requireRoom();
        var dryRun = IdKind.IMPORT.require(ImportResponse.require(dryRunId).id());
        var id = UuidV7.at(clock.now());
        startChecked(id, dryRun);
        return IdKind.IMPORT.format(id);
    }

    /**
     * Starts the import of the file that a dry run has checked. It takes the pieces of the dry run, so it succeeds only
     * once. A concurrent transaction waits for the rows of the pieces, and then finds none.
     */
    private void startChecked(UUID id, UUID dryRun) throws SQLException {
        var organization = caller.organizationId();
        // Within a transaction, Agroal returns the connection of the transaction.
        try (var connection = database.getConnection()) {
            var sql = new Sql(connection);
            boolean isReady = sql.update(START, id, caller.userId(), clock.now(), organization, dryRun) == 1;
            if (!isReady || sql.update(MOVE_PIECES, id, organization, dryRun) == 0) {
                throw Failure.conflict("This file was already imported, or it is no longer kept. Check it again.");
            }
        }
    }

    /** The last imports and dry runs, newest first. */
    static List<ImportResponse> last(int count) {
        return TenantSql.current().list(ImportResponse.TABLE.reader(), LAST.formatted(count));
    }
}
