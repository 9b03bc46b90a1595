package dev.okr.access;

import com.github.benmanes.caffeine.cache.AsyncCache;
import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.okr.organizations.Plan;
import dev.okr.organizations.Role;
import dev.okr.platform.http.Caller;
import dev.okr.platform.http.EnumNames;
import dev.okr.platform.time.UtcClock;
import dev.okr.platform.transactions.Sql;
import io.agroal.api.AgroalDataSource;
import jakarta.enterprise.context.ApplicationScoped;
import java.nio.ByteBuffer;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Finds API keys by their token, and caches them for {@link Caller#MAX_AGE}. A revocation takes effect on all
 * replicas within five seconds, because each replica then loads the key again. Replicas exchange no messages about it.
 * Keys that are not found are not cached, so that a new key works at once.
 *
 * <p>It uses SQL, because an entity query would bind the Hibernate session to a tenant before the tenant is known.
 */
@ApplicationScoped
public class ApiKeyCache {
    private static final int MAX_CACHED_KEYS = 100_000;

    /** How long a key counts as known after a lookup has found it valid. */
    private static final Duration KNOWN_FOR = Duration.ofMinutes(1);

    private static final Duration LAST_USED_PRECISION = Duration.ofMinutes(1);

    private static final String FIND = """
            /* all organizations */
            SELECT k.id, k.organization_id, k.user_id, k.scopes, k.expires_at, k.last_used_at, u.role, o.plan
            FROM api_key k
            JOIN users u ON u.organization_id = k.organization_id AND u.id = k.user_id
            JOIN organization o ON o.id = k.organization_id
            WHERE k.token_hash = ? AND k.revoked_at IS NULL AND u.deactivated_at IS NULL
            """;
    // The condition on the old value limits writes to one per minute, for any number of replicas.
    private static final String TOUCH = """
            UPDATE api_key SET last_used_at = ?
            WHERE organization_id = ? AND id = ? AND (last_used_at IS NULL OR last_used_at < ?)
            """;

    private final AgroalDataSource database;
    private final UtcClock clock;
    private final AsyncCache<ByteBuffer, Key> cache;

    /**
     * The organisations of keys that were valid recently, by the hash of the token. An entry only chooses the queue of
     * a lookup. It gives no access.
     */
    private final Cache<ByteBuffer, UUID> known = Caffeine.newBuilder()
            .expireAfterWrite(KNOWN_FOR)
            .maximumSize(MAX_CACHED_KEYS)
            .build();

    ApiKeyCache(AgroalDataSource database, UtcClock clock) {
        this.database = database;
        this.clock = clock;
        this.cache = Caffeine.newBuilder()
                .expireAfterWrite(Caller.MAX_AGE)
                .maximumSize(MAX_CACHED_KEYS)
                // Several requests can wait for a lookup. So it must not have the deadline of one of them.
                .executor(Thread::startVirtualThread)
                .buildAsync();
    }

    /**
     * An API key that is not revoked, with its user and plan. It can have expired.
     *
     * @param readNanos when it was read, by {@link System#nanoTime}
     */
    record Key(
            UUID keyId,
            UUID organizationId,
            UUID userId,
            Role role,
            Plan plan,
            Set<Scope> scopes,
            @Nullable Instant expiresAt,
            long readNanos) {

        Caller.Identity identity() {
            return new Caller.Identity(organizationId, userId, role == Role.ADMIN, keyId);
        }

        boolean isExpired(Instant now) {
            return expiresAt != null && !now.isBefore(expiresAt);
        }
    }

    /**
     * The key, if it is in the cache or is being loaded. If it was valid recently, the first request loads it again.
     * The other requests wait for the same load.
     *
     * @param awaitLookup waits until a key of the organisation may be looked up. Its result must run after the lookup.
     */
    @SuppressWarnings("NullAway") // As below.
    Optional<CompletableFuture<@Nullable Key>> findKnown(
            String token, Function<UUID, CompletableFuture<Runnable>> awaitLookup) {
        var hash = ByteBuffer.wrap(Token.hash(token));
        var cached = cache.getIfPresent(hash);
        if (cached != null) {
            return Optional.of(cached);
        }
        return Optional.ofNullable(known.getIfPresent(hash))
                .map(organizationId -> cache.get(
                        hash,
                        (absent, executor) -> awaitLookup
                                .apply(organizationId)
                                .thenApplyAsync(end -> loadThen(end, hash.array()), executor)));
    }

    /** Completes with null if the key is unknown or revoked, or its user is deactivated. */
    // Caffeine allows null from the loader and does not cache it, although its annotations say otherwise.
    @SuppressWarnings("NullAway")
    CompletableFuture<@Nullable Key> find(String token) {
        return cache.get(ByteBuffer.wrap(Token.hash(token)), hash -> load(hash.array()));
    }

    private @Nullable Key loadThen(Runnable end, byte[] hash) {
        try {
            return load(hash);
        } finally {
            end.run();
        }
    }

    private @Nullable Key load(byte[] hash) {
        try (var connection = database.getConnection()) {
            var sql = new Sql(connection);
            long readNanos = System.nanoTime();
            var found =
                    sql.first(row -> found(row, readNanos), FIND, (Object) hash).orElse(null);
            var now = clock.now();
            if (found == null || found.key().isExpired(now)) {
                known.invalidate(ByteBuffer.wrap(hash));
                return found == null ? null : found.key();
            }
            var key = found.key();
            known.put(ByteBuffer.wrap(hash), key.organizationId());
            var touchBefore = now.minus(LAST_USED_PRECISION);
            if (found.lastUsedAt() == null || found.lastUsedAt().isBefore(touchBefore)) {
                sql.update(TOUCH, now, key.organizationId(), key.keyId(), touchBefore);
            }
            return key;
        } catch (SQLException e) {
            throw new CompletionException(e);
        }
    }

    private record Found(Key key, @Nullable Instant lastUsedAt) {}

    private static Found found(ResultSet row, long readNanos) throws SQLException {
        return new Found(key(row, readNanos), Sql.instantOrNull(row, "last_used_at"));
    }

    private static Key key(ResultSet row, long readNanos) throws SQLException {
        return new Key(
                row.getObject("id", UUID.class),
                row.getObject("organization_id", UUID.class),
                row.getObject("user_id", UUID.class),
                EnumNames.parse(Role.class, row.getString("role")).orElseThrow(),
                EnumNames.parse(Plan.class, row.getString("plan")).orElseThrow(),
                Scope.parse(List.of((String[]) row.getArray("scopes").getArray())),
                Sql.instantOrNull(row, "expires_at"),
                readNanos);
    }
}
