package dev.okr.organizations;

import dev.okr.organizations.tenant.EnumConverter;
import dev.okr.organizations.tenant.TenantEntity;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.http.ListQuery;
import dev.okr.platform.http.Slice;
import dev.okr.platform.ids.IdKind;
import io.quarkus.hibernate.orm.panache.Panache;
import jakarta.persistence.Column;
import jakarta.persistence.Converter;
import jakarta.persistence.Entity;
import jakarta.persistence.LockModeType;
import jakarta.persistence.Table;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A user of an organisation, for reading. {@link UserWriter} changes users. */
@Entity
@Table(name = "users")
public class User extends TenantEntity {
    @Column(name = "name")
    String name;

    @Column(name = "email")
    String email;

    @Column(name = "role")
    Role role;

    @Column(name = "created_at")
    Instant createdAt;

    @Column(name = "deactivated_at")
    @Nullable
    Instant deactivatedAt;

    @Column(name = "erased_at")
    @Nullable
    Instant erasedAt;

    protected User() {}

    public String name() {
        return name;
    }

    public String email() {
        return email;
    }

    public Role role() {
        return role;
    }

    public Instant createdAt() {
        return createdAt;
    }

    /** Whether the user may sign in and use API keys. */
    public boolean isActive() {
        return deactivatedAt == null;
    }

    /** Whether the personal data were erased. Only the id is left then. */
    public boolean isErased() {
        return erasedAt != null;
    }

    public static boolean exists(UUID id) {
        return count("id", id) > 0;
    }

    /** Finds the active user with an email address. Upper and lower case are equal. */
    public static Optional<User> findActive(String email) {
        return find("lower(email) = lower(?1) and deactivatedAt is null", email).firstResultOptional();
    }

    /** @throws Failure if the organisation has no such user */
    public static User require(String publicId) {
        return IdKind.USER
                .parse(publicId)
                .flatMap(id -> find("id", id).<User>firstResultOptional())
                .orElseThrow(() -> Failure.notFound("user"));
    }

    public static User require(UUID id) {
        return User.<User>find("id", id).singleResult();
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
        if (!user.isActive()) {
            throw Failure.conflict("This user is deactivated.");
        }
        return user;
    }

    /** Lists the users of the organisation, or of one team, by name. */
    public static Slice<User> list(ListQuery query, @Nullable UUID teamId) {
        // A join, because a distributed schema has users and teams on different servers.
        var condition = teamId == null
                ? ""
                : " join TeamMember m on m.userId = u.id and m.organizationId = u.organizationId"
                        + " and m.teamId = :teamId";
        var session = Panache.getSession();
        var count = session.createSelectionQuery("select count(*) from User u" + condition, Long.class);
        var rows =
                session.createSelectionQuery("select u from User u" + condition + " order by u.name, u.id", User.class);
        if (teamId != null) {
            count.setParameter("teamId", teamId);
            rows.setParameter("teamId", teamId);
        }
        long total = count.getSingleResult();
        if (query.offset() >= total) {
            return new Slice<>(List.of(), total, null);
        }
        rows.setFirstResult(Math.toIntExact(query.offset())).setMaxResults(query.perPage());
        return new Slice<>(rows.getResultList(), total, null);
    }

    @Converter(autoApply = true)
    static class RoleConverter extends EnumConverter<Role> {
        RoleConverter() {
            super(Role.class);
        }
    }
}
