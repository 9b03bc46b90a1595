package dev.okr.access;

import dev.okr.organizations.Limit;
import dev.okr.organizations.User;
import dev.okr.organizations.audit.AuditAction;
import dev.okr.organizations.audit.Change;
import dev.okr.organizations.audit.Differences;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.ids.IdKind;
import dev.okr.platform.ids.UuidV7;
import dev.okr.platform.time.Timestamps;
import dev.okr.platform.transactions.Sql;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Writes API keys, with an entry in the audit log for each change. No other class writes them, with two exceptions.
 * {@link ApiKeyCache} writes the time of the last use. Provisioning writes {@code provisioned_as}.
 */
public final class ApiKeyWriter {
    private static final String INSERT = """
            INSERT INTO api_key (organization_id, id, user_id, name, token_hash, scopes, expires_at, created_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (organization_id, id) DO NOTHING
            """;
    private static final String COUNT_VALID_KEYS = """
            SELECT count(*) FROM api_key
            WHERE organization_id = ? AND user_id = ? AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ?)
            """;
    private static final String REPLACE =
            "UPDATE api_key SET expires_at = ?, replaced_by_id = ? WHERE organization_id = ? AND id = ?";
    private static final String FIND =
            "SELECT token_hash, scopes, expires_at FROM api_key WHERE organization_id = ? AND id = ?";
    private static final String CHANGE =
            "UPDATE api_key SET token_hash = ?, scopes = ?, expires_at = ? WHERE organization_id = ? AND id = ?";
    private static final String REVOKE = """
            UPDATE api_key SET revoked_at = ? WHERE organization_id = ? AND id = ? AND revoked_at IS NULL
            """;
    private static final String FIND_VALID_KEYS_OF_USER = """
            SELECT id FROM api_key WHERE organization_id = ? AND user_id = ? AND revoked_at IS NULL FOR UPDATE
            """;
    // The name of a key may contain the name of its user. No token has the hash of a random text. Its start is the id,
    // so that hashes differ.
    private static final String ERASE_KEYS_OF_USER = """
            UPDATE api_key SET
                name = 'Erased key',
                provisioned_as = NULL,
                token_hash = sha256(convert_to(id::text || ?::text, 'UTF8')),
                revoked_at = coalesce(revoked_at, ?)
            WHERE organization_id = ? AND user_id = ?
            RETURNING id
            """;

    private final Change change;

    public ApiKeyWriter(Change change) {
        this.change = change;
    }

    /**
     * Creates a key with a new token, for an active user of the organisation. It uses entities, so it works only where
     * the tenant of the organisation is bound, such as in a request.
     *
     * @param id the id for the key, which keeps a repeated request from creating a second key
     * @throws Failure a conflict if the user is deactivated or the id is taken, or if the user has too many valid keys
     */
    public ApiKey.Issued issue(UUID id, UUID userId, String name, Set<Scope> scopes, @Nullable Instant expiresAt)
            throws SQLException {
        User.requireActive(userId);
        Limit.API_KEYS_PER_USER.requireRoom(validKeys(userId));
        var token = Token.random();
        add(id, userId, name, Token.hash(token), scopes, expiresAt);
        return new ApiKey.Issued(ApiKey.require(IdKind.API_KEY.format(id)), token);
    }

    /**
     * Adds a key whose token was generated elsewhere, such as in the organisation file.
     *
     * @throws Failure a conflict if the id is taken
     */
    public void add(UUID id, UUID userId, String name, byte[] tokenHash, Set<Scope> scopes, @Nullable Instant expiresAt)
            throws SQLException {
        insert(id, userId, name, tokenHash, scopes, expiresAt);
        var detail = "scopes " + String.join(", ", Scope.names(scopes)) + until(expiresAt);
        change.record(AuditAction.API_KEY_CREATED, id, name, detail);
    }

    /**
     * Replaces a key by a new one with the same name, scopes and expiry. The old key stays valid for the overlap, but
     * not longer than before. Like {@link #issue}, it needs the bound tenant.
     *
     * @param old the key, locked
     * @param overlap zero to {@link ApiKey#MAX_ROTATION_OVERLAP}
     * @throws Failure a conflict if the key is not valid or was already rotated
     */
    public ApiKey.Issued rotate(ApiKey old, Duration overlap) throws SQLException {
        if (overlap.isNegative() || overlap.compareTo(ApiKey.MAX_ROTATION_OVERLAP) > 0) {
            throw new IllegalArgumentException("A rotated key stays valid for at most seven days.");
        }
        old.requireRotatable(change.now());
        // A user with as many keys as allowed can still rotate one of them.
        Limit.API_KEYS_PER_USER.requireRoom(validKeys(old.userId()) - 1);
        var id = UuidV7.at(change.now());
        var token = Token.random();
        insert(id, old.userId(), old.name(), Token.hash(token), old.scopes(), old.expiresAt());
        var end = earlier(change.now().plus(overlap), old.expiresAt());
        change.sql().update(REPLACE, end, id, change.organizationId(), old.id());
        var detail = "replaced by " + IdKind.API_KEY.format(id) + until(end);
        change.record(AuditAction.API_KEY_ROTATED, old.id(), old.name(), detail);
        return new ApiKey.Issued(ApiKey.require(IdKind.API_KEY.format(id)), token);
    }

    /** Sets the values of a key from the organisation file. */
    public void change(UUID id, String name, byte[] tokenHash, Set<Scope> scopes, @Nullable Instant expiresAt)
            throws SQLException {
        var before = change.sql()
                .first(Stored::read, FIND, change.organizationId(), id)
                .orElseThrow();
        var names = Scope.names(scopes);
        change.sql().update(CHANGE, tokenHash, names, expiresAt, change.organizationId(), id);
        var differences = new Differences();
        if (!Arrays.equals(before.tokenHash, tokenHash)) {
            differences.add("token");
        }
        differences
                .add("scopes", new TreeSet<>(before.scopes), new TreeSet<>(names))
                .add("expiry", time(before.expiresAt), time(expiresAt));
        change.record(AuditAction.API_KEY_CHANGED, id, name, differences.text());
    }

    /**
     * Revokes a key. Returns false if it was revoked before. All replicas reject the key within five seconds, see
     * {@link ApiKeyCache}.
     */
    public boolean revoke(ApiKey key) throws SQLException {
        if (change.sql().update(REVOKE, change.now(), change.organizationId(), key.id()) == 0) {
            return false;
        }
        change.record(AuditAction.API_KEY_REVOKED, key.id(), key.name(), null);
        return true;
    }

    /** Revokes all keys of a user, removes what may identify the user, and returns the ids of the keys. */
    public List<UUID> eraseKeysOf(UUID userId) throws SQLException {
        for (var id : ids(FIND_VALID_KEYS_OF_USER, change.organizationId(), userId)) {
            change.record(AuditAction.API_KEY_REVOKED, id, null, null);
        }
        return ids(ERASE_KEYS_OF_USER, UUID.randomUUID().toString(), change.now(), change.organizationId(), userId);
    }

    private void insert(
            UUID id, UUID userId, String name, byte[] tokenHash, Set<Scope> scopes, @Nullable Instant expiresAt)
            throws SQLException {
        int rows = change.sql()
                .update(
                        INSERT,
                        change.organizationId(),
                        id,
                        userId,
                        name,
                        tokenHash,
                        Scope.names(scopes),
                        expiresAt,
                        change.now());
        if (rows == 0) {
            throw Failure.conflict("The API key was already created.");
        }
    }

    private long validKeys(UUID userId) throws SQLException {
        return change.sql()
                .first(row -> row.getLong(1), COUNT_VALID_KEYS, change.organizationId(), userId, change.now())
                .orElseThrow();
    }

    private List<UUID> ids(String statement, Object... parameters) throws SQLException {
        return change.sql().list(row -> row.getObject("id", UUID.class), statement, parameters);
    }

    private static Instant earlier(Instant end, @Nullable Instant other) {
        return other == null || end.isBefore(other) ? end : other;
    }

    /** The values of a key before a change. */
    private record Stored(
            byte[] tokenHash, List<String> scopes, @Nullable Instant expiresAt) {
        static Stored read(ResultSet row) throws SQLException {
            return new Stored(
                    row.getBytes("token_hash"),
                    List.of((String[]) row.getArray("scopes").getArray()),
                    Sql.instantOrNull(row, "expires_at"));
        }
    }

    private static @Nullable String time(@Nullable Instant instant) {
        return instant == null ? null : Timestamps.format(instant);
    }

    private static String until(@Nullable Instant expiresAt) {
        return expiresAt == null ? "" : ", valid until " + Timestamps.format(expiresAt);
    }
}
