package dev.okr.organizations;

import dev.okr.organizations.tenant.EnumConverter;
import dev.okr.organizations.tenant.OrganizationLock;
import dev.okr.organizations.tenant.TenantEntity;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.http.ListQuery;
import dev.okr.platform.http.Slice;
import dev.okr.platform.ids.IdKind;
import dev.okr.platform.ids.UuidV7;
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
import org.hibernate.annotations.DynamicUpdate;
import org.jspecify.annotations.Nullable;

/** A person with access. The API only reads them; the console changes them. */
@Entity
@DynamicUpdate
@Table(name = "users")
public class User extends TenantEntity {
    private static final String ERASED_NAME = "Erased user";

    @Column(name = "name")
    String name;

    @Column(name = "email")
    String email;

    @Column(name = "role")
    Role role;

    @Column(name = "created_at", updatable = false)
    Instant createdAt;

    /** Since when the person has no access any more. */
    @Column(name = "deactivated_at")
    @Nullable
    Instant deactivatedAt;

    /** Since when nothing of the person is kept but the id that history refers to. */
    @Column(name = "erased_at")
    @Nullable
    Instant erasedAt;

    protected User() {}

    /**
     * Adds a person to the current organisation, within a transaction.
     *
     * @throws Failure a conflict, when the address belongs to a user of this or another organisation
     */
    public static User invite(String name, String email, Role role, Instant now) {
        if (isTaken(email)) {
            throw Failure.conflict("This email address belongs to a user already.");
        }
        var user = new User();
        user.id = UuidV7.at(now);
        user.name = name;
        user.email = email;
        user.role = role;
        user.createdAt = now;
        user.persist();
        return user;
    }

    /** @throws Failure a conflict, when nobody would be left who administers the organisation */
    public void changeRole(Role newRole) {
        if (role == Role.ADMIN && newRole != Role.ADMIN) {
            requireAnotherAdmin();
        }
        role = newRole;
    }

    /**
     * Takes all access away; what the person did stays.
     *
     * @throws Failure a conflict, when nobody would be left who administers the organisation
     */
    public void deactivate(Instant now) {
        if (deactivatedAt != null) {
            return;
        }
        if (role == Role.ADMIN) {
            requireAnotherAdmin();
        }
        deactivatedAt = now;
    }

    /**
     * Forgets who the person is and takes all access away. What the person did stays, as somebody's without a name.
     *
     * @throws Failure a conflict, when nobody would be left who administers the organisation
     */
    public void erase(Instant now) {
        deactivate(now);
        name = ERASED_NAME;
        email = EmailAddress.nobody(id).text();
        erasedAt = now;
    }

    /** @throws Failure a conflict, when the person's data were erased */
    public void reactivate() {
        if (erasedAt != null) {
            throw Failure.conflict("The data of this user were erased.");
        }
        deactivatedAt = null;
    }

    /** Two admins who deactivate each other at the same moment take turns at the organisation's row. */
    private void requireAnotherAdmin() {
        OrganizationLock.acquire(UUID.fromString(organizationId));
        if (count("role = ?1 and deactivatedAt is null and id <> ?2", Role.ADMIN, id) == 0) {
            throw Failure.conflict("The organisation needs another active admin first.");
        }
    }

    private static boolean isTaken(String email) {
        // Of the whole service, which no entity query sees.
        return Panache.getSession()
                        .createNativeQuery(
                                "/* all organizations */ SELECT count(*) FROM users WHERE lower(email) = lower(:email)",
                                Long.class)
                        .setParameter("email", email)
                        .getSingleResult()
                > 0;
    }

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

    public @Nullable Instant deactivatedAt() {
        return deactivatedAt;
    }

    /** Whether the person has access. */
    public boolean isActive() {
        return deactivatedAt == null;
    }

    /** Whether nothing of the person is kept but the id. */
    public boolean isErased() {
        return erasedAt != null;
    }

    public static boolean exists(UUID id) {
        return count("id", id) > 0;
    }

    /** The person of the organisation who has access under this address, in whatever case it is written. */
    public static Optional<User> findActive(String email) {
        return find("lower(email) = lower(?1) and deactivatedAt is null", email).firstResultOptional();
    }

    /** @throws Failure when the organisation has no such user */
    public static User require(String publicId) {
        return require(publicId, LockModeType.NONE);
    }

    /**
     * As {@link #require(String)}, to change it, under a lock on its row. The organisation's row is locked before it:
     * in this order a start that applies an organisation file locks them too.
     */
    public static User requireLocked(String publicId) {
        OrganizationLock.acquire();
        return require(publicId, LockModeType.PESSIMISTIC_WRITE);
    }

    private static User require(String publicId, LockModeType lock) {
        return IdKind.USER
                .parse(publicId)
                .flatMap(id -> find("id", id).withLock(lock).<User>firstResultOptional())
                .orElseThrow(() -> Failure.notFound("user"));
    }

    public static User require(UUID id) {
        return User.<User>find("id", id).singleResult();
    }

    /**
     * Somebody who has access and keeps it until the end of the transaction: whoever takes it away waits until then.
     *
     * @throws Failure a conflict, when the person has no access any more
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

    /** The users of the organisation, or of one of its teams, by name. */
    public static Slice<User> list(ListQuery query, @Nullable UUID teamId) {
        var condition = teamId == null
                ? ""
                : " where exists (select 1 from TeamMember m where m.userId = u.id and m.teamId = :teamId)";
        var session = Panache.getSession();
        var count = session.createSelectionQuery("select count(*) from User u" + condition, Long.class);
        var rows = session.createSelectionQuery("from User u" + condition + " order by u.name, u.id", User.class);
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

    /** Stores roles in lower case. */
    @Converter(autoApply = true)
    static class RoleConverter extends EnumConverter<Role> {
        RoleConverter() {
            super(Role.class);
        }
    }
}
