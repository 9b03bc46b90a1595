package dev.okr.access;

import com.github.benmanes.caffeine.cache.AsyncCache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.okr.organizations.Plan;
import dev.okr.organizations.Role;
import dev.okr.platform.http.Caller;
import dev.okr.platform.http.EnumNames;
import dev.okr.platform.time.UtcClock;
import io.agroal.api.AgroalDataSource;
import io.quarkus.virtual.threads.VirtualThreads;
import jakarta.enterprise.context.ApplicationScoped;
import java.nio.ByteBuffer;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import org.jspecify.annotations.Nullable;

/**
 * Finds API keys by their token. It uses SQL, because an entity query would bind the Hibernate session to a tenant before
 * the tenant is known. Valid keys are cached for less than five seconds, so that a revocation takes effect in time.
 * Unknown keys are not cached, so that a new key works at once.
 */
@ApplicationScoped
public class ApiKeys {
    private static final int MAX_CACHED_KEYS = 100_000;
    private static final Duration LAST_USED_PRECISION = Duration.ofMinutes(1);

    private static final String FIND = """
            SELECT k.id, k.organization_id, k.user_id, k.scopes, k.expires_at, k.last_used_at, u.role, o.plan
            FROM api_key k
            JOIN users u ON u.organization_id = k.organization_id AND u.id = k.user_id
            JOIN organization o ON o.id = k.organization_id
            WHERE k.token_hash = ? AND k.revoked_at IS NULL AND u.deactivated_at IS NULL
            """;
    // The condition on the old value limits writes to one per minute, whatever the number of replicas.
    private static final String TOUCH = """
            UPDATE api_key SET last_used_at = ?
            WHERE organization_id = ? AND id = ? AND (last_used_at IS NULL OR last_used_at < ?)
            """;

    private final AgroalDataSource database;
    private final UtcClock clock;
    private final AsyncCache<ByteBuffer, AuthenticatedKey> cache;

    ApiKeys(AgroalDataSource database, UtcClock clock, @VirtualThreads ExecutorService executor) {
        this.database = database;
        this.clock = clock;
        this.cache = Caffeine.newBuilder()
                .expireAfterWrite(Caller.MAX_AGE)
                .maximumSize(MAX_CACHED_KEYS)
                .executor(executor)
                .buildAsync();
    }

    /** Completes with null if the key is unknown or revoked, or its user is deactivated. */
    // Caffeine allows null from the loader and does not cache it, although its annotations say otherwise.
    @SuppressWarnings("NullAway")
    CompletableFuture<@Nullable AuthenticatedKey> find(String token) {
        return cache.get(ByteBuffer.wrap(Token.hash(token)), hash -> load(hash.array()));
    }

    private @Nullable AuthenticatedKey load(byte[] hash) {
        try (var connection = database.getConnection();
                var find = connection.prepareStatement(FIND)) {
            find.setBytes(1, hash);
            try (var row = find.executeQuery()) {
                if (!row.next()) {
                    return null;
                }
                var key = key(row);
                var now = clock.now();
                var lastUsedAt = instant(row, "last_used_at");
                if (!key.isExpired(now)
                        && (lastUsedAt == null || lastUsedAt.isBefore(now.minus(LAST_USED_PRECISION)))) {
                    touch(connection, key, now);
                }
                return key;
            }
        } catch (SQLException e) {
            throw new CompletionException(e);
        }
    }

    private static void touch(Connection connection, AuthenticatedKey key, Instant now) throws SQLException {
        try (var touch = connection.prepareStatement(TOUCH)) {
            touch.setObject(1, now.atOffset(ZoneOffset.UTC));
            touch.setObject(2, key.organizationId());
            touch.setObject(3, key.keyId());
            touch.setObject(4, now.minus(LAST_USED_PRECISION).atOffset(ZoneOffset.UTC));
            touch.executeUpdate();
        }
    }

    private static AuthenticatedKey key(ResultSet row) throws SQLException {
        return new AuthenticatedKey(
                row.getObject("id", UUID.class),
                row.getObject("organization_id", UUID.class),
                row.getObject("user_id", UUID.class),
                EnumNames.parse(Role.class, row.getString("role")).orElseThrow(),
                EnumNames.parse(Plan.class, row.getString("plan")).orElseThrow(),
                scopes((String[]) row.getArray("scopes").getArray()),
                instant(row, "expires_at"));
    }

    private static Set<Scope> scopes(String[] names) {
        var scopes = EnumSet.noneOf(Scope.class);
        Arrays.stream(names)
                .forEach(name -> scopes.add(EnumNames.parse(Scope.class, name).orElseThrow()));
        return scopes;
    }

    private static @Nullable Instant instant(ResultSet row, String column) throws SQLException {
        var timestamp = row.getObject(column, OffsetDateTime.class);
        return timestamp == null ? null : timestamp.toInstant();
    }
}
