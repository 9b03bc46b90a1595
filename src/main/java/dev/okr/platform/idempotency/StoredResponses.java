package dev.okr.platform.idempotency;

import dev.okr.platform.encryption.EncryptedSecret;
import dev.okr.platform.encryption.SecretBox;
import dev.okr.platform.time.UtcClock;
import dev.okr.platform.transactions.Sql;
import dev.okr.platform.transactions.SqlFailures;
import io.agroal.api.AgroalDataSource;
import io.quarkus.scheduler.Scheduled;
import jakarta.enterprise.context.ApplicationScoped;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;
import org.jboss.logging.Logger;

/** The responses that are kept for a day, in the database, for any replica to repeat. */
@ApplicationScoped
class StoredResponses {
    private static final Logger LOG = Logger.getLogger(StoredResponses.class);

    private static final int MAX_BATCH = 500;
    private static final int MAX_BATCHES = 200;

    /** Held until the end of the transaction, and so gone with a process that is killed. */
    private static final String LOCK = "SELECT pg_try_advisory_xact_lock(?) AS locked";

    private static final String FIND = """
            SELECT body_hash, status, content_type, location, etag, body, secret_key_id FROM idempotent_response
            WHERE organization_id = ? AND api_key_id = ? AND route_and_key_hash = ? AND created_at > ?
            """;
    // One that has expired and is not pruned yet makes room; of two that are kept at once, the first stays.
    private static final String KEEP = """
            INSERT INTO idempotent_response AS kept (organization_id, api_key_id, route_and_key_hash, body_hash,
                status, content_type, location, etag, body, secret_key_id, created_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (organization_id, api_key_id, route_and_key_hash) DO UPDATE SET
                body_hash = excluded.body_hash, status = excluded.status, content_type = excluded.content_type,
                location = excluded.location, etag = excluded.etag, body = excluded.body,
                secret_key_id = excluded.secret_key_id, created_at = excluded.created_at
            WHERE kept.created_at <= ?
            """;
    private static final String PRUNE = """
            DELETE FROM idempotent_response r USING (
                SELECT organization_id, api_key_id, route_and_key_hash FROM idempotent_response
                WHERE created_at <= ? ORDER BY created_at LIMIT ? FOR UPDATE SKIP LOCKED) old
            WHERE r.organization_id = old.organization_id AND r.api_key_id = old.api_key_id
                AND r.route_and_key_hash = old.route_and_key_hash
            """;

    private final AgroalDataSource database;
    private final SecretBox secretBox;
    private final UtcClock clock;

    StoredResponses(AgroalDataSource database, SecretBox secretBox, UtcClock clock) {
        this.database = database;
        this.secretBox = secretBox;
        this.clock = clock;
    }

    /** A response and the body of the request that it answered. */
    record Kept(byte[] bodyHash, StoredResponse response) {}

    /** Whether this transaction is the one that may do what the request asks for. */
    boolean lock(IdempotentRequest request) {
        return query(sql ->
                sql.first(row -> row.getBoolean("locked"), LOCK, request.lock()).orElse(false));
    }

    /** What was kept for a request's key. To be asked under the lock, so that the response of its last holder shows. */
    Optional<Kept> find(IdempotentRequest request) {
        return query(sql -> sql.first(
                row -> read(row, request),
                FIND,
                request.organizationId(),
                request.apiKeyId(),
                request.routeAndKeyHash(),
                clock.now().minus(Idempotent.KEPT)));
    }

    /** Keeps a response, in the transaction under way. */
    void keep(IdempotentRequest request, StoredResponse response, boolean secret) {
        var sealed = secret ? secretBox.seal(response.body(), request.context()) : null;
        var now = clock.now();
        query(sql -> sql.update(
                KEEP,
                request.organizationId(),
                request.apiKeyId(),
                request.routeAndKeyHash(),
                request.bodyHash(),
                response.status(),
                response.contentType(),
                response.location(),
                response.etag(),
                sealed == null ? response.body() : sealed.bytes(),
                sealed == null ? null : sealed.keyId(),
                now,
                now.minus(Idempotent.KEPT)));
    }

    @Scheduled(every = "{okr.idempotency.prune-every}", concurrentExecution = Scheduled.ConcurrentExecution.SKIP)
    void prune() {
        try (var connection = database.getConnection()) {
            var sql = new Sql(connection);
            int rows = MAX_BATCH;
            for (int batches = 0; rows == MAX_BATCH && batches < MAX_BATCHES; batches++) {
                rows = sql.update(PRUNE, clock.now().minus(Idempotent.KEPT), MAX_BATCH);
            }
        } catch (SQLException e) {
            LOG.warnf("kept responses were not pruned, the next run tries again: %s", SqlFailures.reason(e));
        }
    }

    private Kept read(ResultSet row, IdempotentRequest request) throws SQLException {
        var keyId = row.getString("secret_key_id");
        var body = row.getBytes("body");
        return new Kept(
                row.getBytes("body_hash"),
                new StoredResponse(
                        row.getInt("status"),
                        row.getString("content_type"),
                        row.getString("location"),
                        row.getString("etag"),
                        keyId == null ? body : secretBox.open(new EncryptedSecret(keyId, body), request.context())));
    }

    /** On the connection of the transaction under way. */
    private <T> T query(Sql.Work<T, RuntimeException> work) {
        try (var connection = database.getConnection()) {
            return work.run(new Sql(connection));
        } catch (SQLException e) {
            throw new IllegalStateException("kept responses cannot be reached", e);
        }
    }
}
