package dev.okr.organizations;

import dev.okr.organizations.tenant.TenantEntity;
import dev.okr.organizations.tenant.TenantSql;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.transactions.Sql;
import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.LockModeType;
import jakarta.persistence.Table;
import java.time.Instant;
import java.util.Optional;
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

    private static final String FIND_ACTIVE = """
            SELECT id FROM users WHERE organization_id = :organization AND deactivated_at IS NULL AND %s
            """.formatted(EmailAddress.EQUALS);

    private static final String IS_ADMIN = """
            SELECT 1 FROM users
            WHERE organization_id = :organization AND id = ? AND role = 'admin' AND deactivated_at IS NULL
            """;

    protected User() {}

    /** Whether the user is an active admin at this moment. The API key of a request may be cached for some seconds. */
    public static boolean isAdmin(UUID id) {
        return TenantSql.current().first(row -> true, IS_ADMIN, id).isPresent();
    }

    public static boolean exists(UUID id) {
        return count("id", id) > 0;
    }

    /** Finds the active user with an email address. See {@link EmailAddress}. */
    public static Optional<User> findActive(String email) {
        return TenantSql.current()
                .first(row -> Sql.uuid(row, "id"), FIND_ACTIVE, email)
                .flatMap(id -> find("id", id).firstResultOptional());
    }

    /**
     * Finds an active user and locks the row until the end of the transaction. So the user stays active, and concurrent
     * requests cannot exceed the limit on the user's API keys.
     *
     * @throws Failure a conflict if the user is deactivated
     */
    public static User requireActive(UUID id) {
        var user = User.<User>find("id", id)
                .withLock(LockModeType.PESSIMISTIC_WRITE)
                .singleResult();
        if (user.deactivatedAt != null) {
            throw Failure.conflict("This user is deactivated.");
        }
        return user;
    }
}
