package dev.okr.organizations;

import dev.okr.organizations.tenant.TenantEntity;
import dev.okr.organizations.tenant.TenantSql;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.http.BodyReader;
import dev.okr.platform.transactions.Sql;
import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.LockModeType;
import jakarta.persistence.Table;
import java.time.Instant;
import java.util.Collection;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A user of an organisation, with the columns that checks and locks need. {@link UserWriter} changes users.
 * {@link UserProfile} shows them.
 */
@Entity
@Table(name = "users")
public class User extends TenantEntity {
    @Column(name = "email")
    String email;

    @Column(name = "deactivated_at")
    @Nullable
    Instant deactivatedAt;

    private static final String IS_ADMIN = """
            SELECT 1 FROM users
            WHERE organization_id = :organization AND id = ? AND role = 'admin' AND deactivated_at IS NULL
            """;

    private static final String DEACTIVATED = """
            SELECT id FROM users WHERE organization_id = :organization AND id = ANY (?) AND deactivated_at IS NOT NULL
            """;

    protected User() {}

    /** Whether the user is an active admin at this moment. The API key of a request may be cached for some seconds. */
    public static boolean isAdmin(UUID id) {
        return TenantSql.current().first(row -> true, IS_ADMIN, id).isPresent();
    }

    /** Returns the ids of those users who are deactivated. */
    public static Set<UUID> deactivated(Collection<UUID> ids) {
        return ids.isEmpty()
                ? Set.of()
                : Set.copyOf(TenantSql.current().list(row -> Sql.uuid(row, "id"), DEACTIVATED, ids));
    }

    public static boolean exists(UUID id) {
        return count("id", id) > 0;
    }

    /**
     * Rejects a field that would make a deactivated user an owner. It needs no lock. If the user is deactivated at the
     * same moment, the result is the same as if that happened after this request.
     *
     * @param id null if the field is absent or wrong
     * @param current who the owner is already; null for none
     */
    public static void rejectDeactivated(BodyReader body, String field, @Nullable UUID id, @Nullable UUID current) {
        if (id != null && !id.equals(current) && count("id = ?1 and deactivatedAt is not null", id) > 0) {
            body.reject(field, "deactivated_user", "This user is deactivated.");
        }
    }

    /**
     * Finds an active user and locks the row until the end of the transaction. So the user stays active, and concurrent
     * requests cannot exceed the limit on the user's API keys.
     *
     * @throws Failure a conflict if the user is deactivated
     */
    public static User requireActive(UUID id) {
        var user =
                User.<User>findByIdOptional(id, LockModeType.PESSIMISTIC_WRITE).orElseThrow();
        if (user.deactivatedAt != null) {
            throw Failure.conflict("This user is deactivated.");
        }
        return user;
    }
}
