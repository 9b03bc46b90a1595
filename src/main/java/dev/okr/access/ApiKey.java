package dev.okr.access;

import dev.okr.organizations.tenant.TenantEntity;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.http.ListQuery;
import dev.okr.platform.http.Slice;
import dev.okr.platform.ids.IdKind;
import io.quarkus.hibernate.orm.panache.PanacheQuery;
import io.quarkus.panache.common.Sort;
import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.LockModeType;
import jakarta.persistence.Table;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.hibernate.annotations.JdbcTypeCode;
import org.hibernate.type.SqlTypes;
import org.jspecify.annotations.Nullable;

/** An API key, for reading. {@link ApiKeyWriter} changes keys. {@link ApiKeyCache} authenticates requests. */
@Entity
@Table(name = "api_key")
public class ApiKey extends TenantEntity {
    /** The longest time for which a rotated key stays valid. */
    static final Duration MAX_ROTATION_OVERLAP = Duration.ofDays(7);

    private static final String NOUN = "API key";

    @Column(name = "user_id")
    UUID userId;

    @Column(name = "name")
    String name;

    @Column(name = "scopes")
    @JdbcTypeCode(SqlTypes.ARRAY)
    List<String> scopes;

    @Column(name = "created_at")
    Instant createdAt;

    @Column(name = "expires_at")
    @Nullable
    Instant expiresAt;

    @Column(name = "last_used_at")
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
     * A new key and its token.
     *
     * @param token shown once; the database stores only its hash
     */
    public record Issued(ApiKey key, String token) {}

    /** @throws Failure a conflict if the key is not valid or was already rotated */
    public void requireRotatable(Instant now) {
        if (!isValid(now)) {
            throw Failure.conflict("The API key is revoked or has expired.");
        }
        if (replacedById != null) {
            throw Failure.conflict("The API key was already rotated. Rotate the key that replaced it.");
        }
    }

    public boolean isValid(Instant now) {
        return revokedAt == null && (expiresAt == null || now.isBefore(expiresAt));
    }

    /** @throws Failure if the organisation has no such key */
    public static ApiKey require(String publicId) {
        return require(publicId, LockModeType.NONE);
    }

    /** Finds a key and locks it until the end of the transaction. */
    public static ApiKey requireLocked(String publicId) {
        return require(publicId, LockModeType.PESSIMISTIC_WRITE);
    }

    private static ApiKey require(String publicId, LockModeType lock) {
        return IdKind.API_KEY
                .parse(publicId)
                .flatMap(id -> ApiKey.<ApiKey>findByIdOptional(id, lock))
                .orElseThrow(() -> Failure.notFound(NOUN));
    }

    /** Lists the keys of the organisation, or of one user, newest first. */
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
        return Scope.parse(scopes);
    }

    public Instant createdAt() {
        return createdAt;
    }

    /** Null if the key does not expire. */
    public @Nullable Instant expiresAt() {
        return expiresAt;
    }

    /** Accurate to one minute. Null if the key was never used. */
    public @Nullable Instant lastUsedAt() {
        return lastUsedAt;
    }

    public @Nullable Instant revokedAt() {
        return revokedAt;
    }

    /** The key that replaced this one in a rotation. */
    public @Nullable UUID replacedById() {
        return replacedById;
    }
}
