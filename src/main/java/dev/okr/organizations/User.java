package dev.okr.organizations;

import dev.okr.organizations.tenant.TenantEntity;
import dev.okr.platform.errors.Failure;
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

    protected User() {}

    public static boolean exists(UUID id) {
        return count("id", id) > 0;
    }

    /** Finds the active user with an email address. The case of the address does not matter. */
    public static Optional<User> findActive(String email) {
        return find("lower(email) = lower(?1) and deactivatedAt is null", email).firstResultOptional();
    }

    /**
     * Finds an active user and locks the row, so that the user stays active until the end of the transaction.
     *
     * @throws Failure a conflict if the user is deactivated
     */
    public static User requireActive(UUID id) {
        var user = User.<User>find("id", id)
                .withLock(LockModeType.PESSIMISTIC_READ)
                .singleResult();
        if (user.deactivatedAt != null) {
            throw Failure.conflict("This user is deactivated.");
        }
        return user;
    }
}
