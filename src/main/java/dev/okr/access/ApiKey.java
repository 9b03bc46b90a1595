package dev.okr.access;

import dev.okr.organizations.tenant.TenantEntity;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.http.EnumNames;
import dev.okr.platform.http.ListQuery;
import dev.okr.platform.http.Slice;
import dev.okr.platform.ids.IdKind;
import dev.okr.platform.ids.UuidV7;
import io.quarkus.hibernate.orm.panache.PanacheQuery;
import io.quarkus.panache.common.Sort;
import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.LockModeType;
import jakarta.persistence.Table;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.hibernate.annotations.DynamicUpdate;
import org.hibernate.annotations.JdbcTypeCode;
import org.hibernate.type.SqlTypes;
import org.jspecify.annotations.Nullable;

/** An API key of a person, as it is managed. Requests are authenticated by {@link ApiKeys}. */
@Entity
@DynamicUpdate
@Table(name = "api_key")
public class ApiKey extends TenantEntity {
    /** How long the old key may stay valid beside the new one after a rotation. */
    static final Duration MAX_ROTATION_OVERLAP = Duration.ofDays(7);

    private static final String NOUN = "API key";
    private static final int BASE62 = 62;

    @Column(name = "user_id", updatable = false)
    UUID userId;

    @Column(name = "name")
    String name;

    @Column(name = "token_hash", updatable = false)
    byte[] tokenHash;

    @Column(name = "scopes")
    @JdbcTypeCode(SqlTypes.ARRAY)
    List<String> scopes;

    @Column(name = "created_at", updatable = false)
    Instant createdAt;

    @Column(name = "expires_at")
    @Nullable
    Instant expiresAt;

    // Requests write it by a statement of their own.
    @Column(name = "last_used_at", insertable = false, updatable = false)
    @Nullable
    Instant lastUsedAt;

    @Column(name = "revoked_at")
    @Nullable
    Instant revokedAt;

    @Column(name = "replaced_by_id")
    @Nullable
    UUID replacedById;

    protected ApiKey() {}

    /**
     * A new key and its token, which is shown once.
     *
     * @param token nowhere else than here; only its hash is stored
     */
    public record Issued(ApiKey key, String token) {}

    /** Creates a key for a user of the current organisation, within a transaction. */
    public static Issued create(UUID userId, String name, Set<Scope> scopes, @Nullable Instant expiresAt, Instant now) {
        return create(UuidV7.at(now), userId, name, scopes, expiresAt, now);
    }

    /**
     * The same with an id that was given out before, so that a request that is sent twice creates one key.
     *
     * @throws Failure a conflict, when a key has the id already
     */
    public static Issued create(
            UUID id, UUID userId, String name, Set<Scope> scopes, @Nullable Instant expiresAt, Instant now) {
        if (count("id", id) > 0) {
            throw Failure.conflict("The API key was created already.");
        }
        var random = new SecureRandom();
        var token = Token.generate(() -> random.nextInt(BASE62));
        var key = new ApiKey();
        key.id = id;
        key.userId = userId;
        key.name = name;
        key.tokenHash = Token.hash(token);
        key.scopes = scopes.stream().sorted().map(EnumNames::format).toList();
        key.createdAt = now;
        key.expiresAt = expiresAt;
        key.persist();
        return new Issued(key, token);
    }

    /**
     * Replaces the key by one of the same name, scopes and expiry. The old one stays valid for a while, but never for
     * longer than it would have been.
     *
     * @param overlap how long, zero to {@link #MAX_ROTATION_OVERLAP}
     * @throws Failure a conflict, when the key is not rotatable
     */
    public Issued rotate(Duration overlap, Instant now) {
        if (overlap.isNegative() || overlap.compareTo(MAX_ROTATION_OVERLAP) > 0) {
            throw new IllegalArgumentException("a rotated key stays valid for up to seven days");
        }
        requireRotatable(now);
        var issued = create(userId, name, scopes(), expiresAt, now);
        var end = now.plus(overlap);
        expiresAt = expiresAt == null || end.isBefore(expiresAt) ? end : expiresAt;
        replacedById = issued.key().id;
        return issued;
    }

    /** @throws Failure a conflict, when the key is not valid any more or another took its place already */
    public void requireRotatable(Instant now) {
        if (!isValid(now)) {
            throw Failure.conflict("The API key is revoked or has expired.");
        }
        if (replacedById != null) {
            throw Failure.conflict("The API key was rotated already. Rotate the key that replaced it.");
        }
    }

    /** Ends the key's validity for good; every replica refuses it within five seconds. */
    public void revoke(Instant now) {
        if (revokedAt == null) {
            revokedAt = now;
        }
    }

    public boolean isValid(Instant now) {
        return revokedAt == null && (expiresAt == null || now.isBefore(expiresAt));
    }

    /** @throws Failure when the organisation has no such key */
    public static ApiKey require(String publicId) {
        return require(publicId, LockModeType.NONE);
    }

    /** @throws Failure when the organisation has no such key; locked until the end of the transaction */
    public static ApiKey requireLocked(String publicId) {
        return require(publicId, LockModeType.PESSIMISTIC_WRITE);
    }

    private static ApiKey require(String publicId, LockModeType lock) {
        return IdKind.API_KEY
                .parse(publicId)
                .flatMap(id -> find("id", id).withLock(lock).<ApiKey>firstResultOptional())
                .orElseThrow(() -> Failure.notFound(NOUN));
    }

    /** The keys of the organisation or, when a user is given, of that user, newest first. */
    public static Slice<ApiKey> list(ListQuery query, @Nullable UUID userId) {
        var newestFirst = Sort.descending("createdAt", "id");
        PanacheQuery<ApiKey> keys =
                userId == null ? ApiKey.findAll(newestFirst) : ApiKey.find("userId", newestFirst, userId);
        long total = keys.count();
        if (query.offset() >= total) {
            return new Slice<>(List.of(), total, null);
        }
        int first = Math.toIntExact(query.offset());
        return new Slice<>(keys.range(first, first + query.perPage() - 1).list(), total, null);
    }

    public UUID userId() {
        return userId;
    }

    public String name() {
        return name;
    }

    public Set<Scope> scopes() {
        var set = EnumSet.noneOf(Scope.class);
        scopes.forEach(scope -> set.add(EnumNames.parse(Scope.class, scope).orElseThrow()));
        return set;
    }

    public Instant createdAt() {
        return createdAt;
    }

    /** None for a key that is valid until it is revoked. */
    public @Nullable Instant expiresAt() {
        return expiresAt;
    }

    /** To the minute; none for a key that was never used. */
    public @Nullable Instant lastUsedAt() {
        return lastUsedAt;
    }

    public @Nullable Instant revokedAt() {
        return revokedAt;
    }

    /** The key that took this one's place when it was rotated. */
    public @Nullable UUID replacedById() {
        return replacedById;
    }
}
