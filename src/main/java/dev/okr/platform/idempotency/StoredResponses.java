package dev.okr.platform.idempotency;

import dev.okr.platform.encryption.EncryptedSecret;
import dev.okr.platform.encryption.SecretBox;
import dev.okr.platform.http.JsonWriter;
import dev.okr.platform.http.ResponseParts;
import dev.okr.platform.http.StoredJson;
import dev.okr.platform.transactions.DatabaseClock;
import dev.okr.platform.transactions.OrganizationSearch;
import dev.okr.platform.transactions.Sql;
import dev.okr.platform.transactions.SqlFailures;
import io.agroal.api.AgroalDataSource;
import io.quarkus.scheduler.Scheduled;
import io.quarkus.vertx.http.runtime.CurrentVertxRequest;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.ws.rs.core.HttpHeaders;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jboss.logging.Logger;
import org.jboss.resteasy.reactive.server.ServerExceptionMapper;
import org.jspecify.annotations.Nullable;

/** The stored responses, in the database. Every replica can replay them, byte for byte. */
@ApplicationScoped
public class StoredResponses {
    private static final String REPLAYED_HEADER = "Idempotency-Replayed";

    private static final Logger LOG = Logger.getLogger(StoredResponses.class);

    private static final int MAX_BATCH = 500;
    private static final int MAX_BATCHES = 200;

    /** Held until the end of the transaction. A killed process releases it. */
    private static final String LOCK = "SELECT pg_try_advisory_xact_lock(?) AS locked; " + DatabaseClock.NOW;

    private static final String FIND = """
            SELECT body_hash, status, content_type, location, etag, secret_key_id, octet_length(body) AS length,
                CASE WHEN octet_length(body) <= ? THEN body ELSE '' END AS body FROM idempotent_response
            WHERE organization_id = ? AND api_key_id = ? AND route_and_key_hash = ?
                AND created_at > ?
            """;
    // Replaces an expired response that was not deleted yet. Of two concurrent responses, the first one stays.
    private static final String STORE = """
            INSERT INTO idempotent_response AS stored (organization_id, api_key_id, route_and_key_hash, body_hash,
                status, content_type, location, etag, body, secret_key_id, created_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (organization_id, api_key_id, route_and_key_hash) DO UPDATE SET
                body_hash = excluded.body_hash, status = excluded.status, content_type = excluded.content_type,
                location = excluded.location, etag = excluded.etag, body = excluded.body,
                secret_key_id = excluded.secret_key_id, created_at = excluded.created_at
            WHERE stored.created_at <= ?
            """;
    private static final String FIND_EXPIRED = """
            /* all organizations */
            SELECT organization_id, api_key_id, route_and_key_hash FROM idempotent_response
            WHERE %s created_at <= ? ORDER BY created_at LIMIT ?
            """;
    // A response that was replaced since the search stays.
    private static final String PRUNE = """
            DELETE FROM idempotent_response r USING unnest(?::uuid[], ?::bytea[]) AS expired (api_key_id, hash)
            WHERE r.organization_id = ? AND r.api_key_id = expired.api_key_id
                AND r.route_and_key_hash = expired.hash AND r.created_at <= ?
            """;

    private final AgroalDataSource database;
    private final OrganizationSearch search;
    private final SecretBox secretBox;
    private final DatabaseClock clock;
    private final CurrentVertxRequest http;

    StoredResponses(
            AgroalDataSource database,
            OrganizationSearch search,
            SecretBox secretBox,
            DatabaseClock clock,
            CurrentVertxRequest http) {
        this.database = database;
        this.search = search;
        this.secretBox = secretBox;
        this.clock = clock;
        this.http = http;
    }

    /** The response to the first request. A replay has its own request id. */
    record Response(
            int status,
            String contentType,
            @Nullable String location,
            @Nullable String etag,
            byte[] body) {}

    /**
     * A stored response, with the hash of the request's body.
     *
     * @param length the length of the stored body in bytes, even if the body was not read
     */
    record Found(byte[] bodyHash, int length, Response response) {
        /** Whether the erasure of a user has removed the body. Every other stored response has a body. */
        boolean isErased() {
            return length == 0;
        }
    }

    /** Ends a request that was answered before. */
    public static final class Replay extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private final transient Response response;

        Replay(Response response) {
            super("replayed", null, false, false);
            this.response = response;
        }

        /** The status of the first response. */
        public int status() {
            return response.status();
        }

        /** The body of the first response. */
        public byte[] body() {
            return response.body().clone();
        }
    }

    @ServerExceptionMapper
    jakarta.ws.rs.core.Response map(Replay replay) {
        var stored = replay.response;
        return jakarta.ws.rs.core.Response.status(stored.status())
                .type(stored.contentType())
                .header(REPLAYED_HEADER, true)
                .header(HttpHeaders.LOCATION, stored.location())
                .header(HttpHeaders.ETAG, stored.etag())
                .entity(new StoredJson(stored.body()))
                .build();
    }

    /**
     * Takes the lock of the request.
     *
     * @return the current time by the clock of the database; empty if another transaction holds the lock
     */
    Optional<Instant> lock(IdempotentRequest request) {
        return query(sql -> sql.results(
                results -> {
                    boolean isLocked =
                            results.first(row -> row.getBoolean("locked")).orElse(false);
                    return isLocked ? Optional.of(clock.now(results)) : Optional.<Instant>empty();
                },
                LOCK,
                request.lock()));
    }

    /**
     * Finds the response that was stored for a request. Call it while holding the lock, to see the response of the
     * previous holder.
     *
     * @param now the time that {@link #lock} returned
     */
    Optional<Found> find(IdempotentRequest request, Instant now) {
        return query(sql -> {
            var found = find(sql, request, now, ResponseParts.MAX_BYTES);
            if (found.isEmpty()
                    || found.get().length <= ResponseParts.MAX_BYTES
                    || !request.hasBody(found.get().bodyHash())) {
                return found;
            }
            if (!JsonWriter.takeMemory(http.getCurrent(), found.get().length)) {
                throw JsonWriter.tooManyLarge();
            }
            return find(sql, request, now, Integer.MAX_VALUE);
        });
    }

    /** Finds a response, but leaves out a body of more than {@code maxBytes}. */
    private Optional<Found> find(Sql sql, IdempotentRequest request, Instant now, int maxBytes) throws SQLException {
        return sql.first(
                row -> read(row, request),
                FIND,
                maxBytes,
                request.organizationId(),
                request.apiKeyId(),
                request.routeAndKeyHash(),
                now.minus(Idempotent.RETENTION));
    }

    /**
     * Stores a response in the current transaction.
     *
     * @param now the time that {@link #lock} returned
     */
    void store(IdempotentRequest request, Instant now, Response response, boolean secret) {
        var encrypted = secret ? secretBox.encrypt(response.body(), request.encryptionContext()) : null;
        query(sql -> sql.update(
                STORE,
                request.organizationId(),
                request.apiKeyId(),
                request.routeAndKeyHash(),
                request.bodyHash(),
                response.status(),
                response.contentType(),
                response.location(),
                response.etag(),
                encrypted == null ? response.body() : encrypted.bytes(),
                encrypted == null ? null : encrypted.keyId(),
                now,
                now.minus(Idempotent.RETENTION)));
    }

    @Scheduled(every = "{okr.idempotency.prune-every}", concurrentExecution = Scheduled.ConcurrentExecution.SKIP)
    void prune() {
        try {
            int rows = MAX_BATCH;
            for (int batches = 0; rows >= MAX_BATCH && batches < MAX_BATCHES; batches++) {
                rows = pruneBatch(clock.now().minus(Idempotent.RETENTION));
            }
        } catch (SQLException e) {
            LOG.warnf("Expired stored responses were not deleted. The next run tries again: %s", SqlFailures.reason(e));
        }
    }

    /** Deletes some expired responses, those of each organisation in their own transaction. Returns their number. */
    private int pruneBatch(Instant end) throws SQLException {
        var expired = search
                .run((sql, condition) -> sql.list(Expired::read, FIND_EXPIRED.formatted(condition), end, MAX_BATCH))
                .stream()
                .collect(Collectors.groupingBy(Expired::organizationId));
        int deleted = 0;
        for (var responses : expired.entrySet()) {
            deleted += search.visit(responses.getKey(), () -> delete(responses.getKey(), responses.getValue(), end))
                    .orElse(0);
        }
        return deleted;
    }

    private int delete(UUID organization, List<Expired> expired, Instant end) throws SQLException {
        try (var connection = database.getConnection()) {
            return new Sql(connection)
                    .update(
                            PRUNE,
                            expired.stream().map(Expired::apiKeyId).toList(),
                            expired.stream().map(Expired::hash).toList(),
                            organization,
                            end);
        }
    }

    private record Expired(UUID organizationId, UUID apiKeyId, byte[] hash) {
        static Expired read(ResultSet row) throws SQLException {
            return new Expired(
                    Sql.uuid(row, "organization_id"), Sql.uuid(row, "api_key_id"), row.getBytes("route_and_key_hash"));
        }
    }

    private Found read(ResultSet row, IdempotentRequest request) throws SQLException {
        var keyId = row.getString("secret_key_id");
        var body = row.getBytes("body");
        return new Found(
                row.getBytes("body_hash"),
                row.getInt("length"),
                new Response(
                        row.getInt("status"),
                        row.getString("content_type"),
                        row.getString("location"),
                        row.getString("etag"),
                        keyId == null || body.length == 0
                                ? body
                                : secretBox.decrypt(new EncryptedSecret(keyId, body), request.encryptionContext())));
    }

    /** Uses the connection of the current transaction. */
    private <T> T query(Sql.Work<T, RuntimeException> work) {
        try (var connection = database.getConnection()) {
            return work.run(new Sql(connection));
        } catch (SQLException e) {
            throw new IllegalStateException("The stored responses cannot be read or written.", e);
        }
    }
}
