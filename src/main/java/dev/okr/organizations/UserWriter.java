package dev.okr.organizations;

import dev.okr.organizations.audit.AuditAction;
import dev.okr.organizations.audit.Change;
import dev.okr.organizations.audit.Differences;
import dev.okr.platform.errors.ErrorCode;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.http.EnumNames;
import dev.okr.platform.ids.IdKind;
import dev.okr.platform.ids.UuidV7;
import dev.okr.platform.time.Timestamps;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;

/**
 * Writes the users table. Each change adds an entry without names to the audit log, and an event. No other class writes
 * the table, except for the {@code provisioned_…} columns.
 */
public final class UserWriter {
    public static final String ERASED_NAME = "Erased user";

    /** The old name in the events of an erased user. */
    public static final String ERASED_OLD_NAME = "";

    private static final String CREATED = "user.created";
    private static final String UPDATED = "user.updated";

    private static final String INSERT = """
            INSERT INTO users (organization_id, id, email, name, role, created_at, updated_at)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT DO NOTHING
            """;
    private static final String IMPORT = """
            INSERT INTO users (organization_id, id, email, name, role, created_at, updated_at, deactivated_at, erased_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT DO NOTHING
            """;
    private static final String COUNT = "SELECT count(*) FROM users WHERE organization_id = ?";
    private static final String FIND =
            "SELECT " + UserProfile.TABLE.columns("u") + " FROM users u WHERE u.organization_id = ? AND u.id = ? ";
    private static final String COUNT_OTHER_ADMINS = """
            SELECT count(*) FROM users
            WHERE organization_id = ? AND id <> ? AND role = 'admin' AND deactivated_at IS NULL
            """;
    private static final String UPDATE = """
            UPDATE users SET name = ?, role = ?, deactivated_at = CASE WHEN ? THEN NULL ELSE coalesce(deactivated_at, ?) END,
                updated_at = ?
            WHERE organization_id = ? AND id = ?
            """;
    private static final String ERASE = """
            UPDATE users SET name = ?, email = ?, erased_at = ?, deactivated_at = coalesce(deactivated_at, ?),
                updated_at = ?, provisioned_name = NULL, provisioned_role = NULL
            WHERE organization_id = ? AND id = ?
            """;

    private final Change change;

    public UserWriter(Change change) {
        this.change = change;
    }

    /**
     * Adds a user to the organisation and returns the user's id.
     *
     * @throws Failure a conflict if a user of any organisation has the email address. Also if the organisation has too
     *     many users.
     */
    public UUID invite(String name, String email, Role role) throws SQLException {
        Organization.lock(change);
        Limit.USERS.requireRoom(change.sql()
                .first(row -> row.getLong(1), COUNT, change.organizationId())
                .orElseThrow());
        return inviteIfFree(name, email, role)
                .orElseThrow(() -> Failure.conflict("This email address already belongs to a user."));
    }

    /** Adds a user and returns the user's id, or empty if a user of any organisation has the email address. */
    public Optional<UUID> inviteIfFree(String name, String email, Role role) throws SQLException {
        return inviteIfFree(UuidV7.at(change.now()), name, email, role);
    }

    /** Like {@link #inviteIfFree(String, String, Role)}, with an id that the caller chooses. */
    public Optional<UUID> inviteIfFree(UUID id, String name, String email, Role role) throws SQLException {
        var roleName = EnumNames.format(role);
        int rows = change.sql()
                .update(INSERT, change.organizationId(), id, email, name, roleName, change.now(), change.now());
        if (rows == 0) {
            return Optional.empty();
        }
        change.record(AuditAction.USER_INVITED, id, null, roleName);
        change.happened(CREATED, IdKind.USER.format(id), UserResponse.of(find(id, "")));
        return Optional.of(id);
    }

    /**
     * Adds a user of another organisation's export. The caller has checked that the organisation has room.
     *
     * @param updatedAt when the user was deactivated or erased, unless the user is active
     * @return whether no other user has the email address
     */
    public boolean addImported(UUID id, UserProfile user, Instant updatedAt) throws SQLException {
        var roleName = EnumNames.format(user.role());
        int rows = change.sql()
                .update(
                        IMPORT,
                        change.organizationId(),
                        id,
                        user.email(),
                        user.name(),
                        roleName,
                        user.createdAt(),
                        updatedAt,
                        user.isActive() ? null : updatedAt,
                        user.isErased() ? updatedAt : null);
        if (rows > 0) {
            change.record(AuditAction.USER_INVITED, id, null, roleName);
            change.happened(CREATED, IdKind.USER.format(id), UserResponse.of(find(id, "")));
        }
        return rows > 0;
    }

    /**
     * Changes a user who is in an import. The caller checks at its end that the organisation has an active admin.
     *
     * @throws Failure a conflict if the user is erased
     */
    public void changeImported(UUID id, String name, Role role, boolean active) throws SQLException {
        write(lock(id), name, role, active);
    }

    /**
     * Changes the fields that the request contains, and returns the user.
     *
     * @param user the user, read under the lock
     * @throws Failure a conflict if the organisation would have no active admin left, or if the user is erased
     */
    UserProfile update(UserProfile user, UpdateUser request) throws SQLException {
        var role = request.role().orElse(user.role());
        var active = request.active().orElse(user.isActive());
        return update(user, request.name().orElse(user.name()), role, active);
    }

    public void rename(UUID id, String newName) throws SQLException {
        var user = lock(id);
        write(user, newName, user.role(), user.isActive());
    }

    /** @throws Failure a conflict if the organisation would have no active admin left */
    public void changeRole(UUID id, Role newRole) throws SQLException {
        var user = lock(id);
        update(user, user.name(), newRole, user.isActive());
    }

    /** Sets the role from the organisation file, even if the organisation then has no active admin. */
    public void overrideRole(UUID id, Role newRole) throws SQLException {
        var user = lock(id);
        write(user, user.name(), newRole, user.isActive());
    }

    /** @throws Failure a conflict if the organisation would have no active admin left */
    public void deactivate(UUID id) throws SQLException {
        var user = lock(id);
        update(user, user.name(), user.role(), false);
    }

    /** @throws Failure a conflict if the user's personal data were erased */
    public void reactivate(UUID id) throws SQLException {
        var user = lock(id);
        update(user, user.name(), user.role(), true);
    }

    /**
     * Erases the name and the email address, and deactivates the user. The event does not contain the old values.
     *
     * @return the address that replaces the old one
     * @throws Failure a conflict if the organisation would have no active admin left
     */
    public EmailAddress erase(UUID id) throws SQLException {
        // This lock also waits for transactions that insert references to the user, such as memberships.
        var user = lock(id, "FOR UPDATE OF u");
        requireAdminBeside(user, user.role(), false);
        var address = EmailAddress.ofErased();
        var now = change.now();
        var updatedAt = Timestamps.later(now, user.updatedAt());
        change.sql().update(ERASE, ERASED_NAME, address.text(), now, now, updatedAt, change.organizationId(), id);
        change.record(AuditAction.USER_ERASED, id, null, null);
        var before = new UserProfile(
                id, ERASED_OLD_NAME, address.text(), user.role(), user.createdAt(), now, user.isActive(), false);
        change.updated(UPDATED, IdKind.USER.format(id), UserResponse.of(before), UserResponse.of(find(id, "")));
        return address;
    }

    private UserProfile update(UserProfile user, String name, Role role, boolean active) throws SQLException {
        requireAdminBeside(user, role, active);
        return write(user, name, role, active);
    }

    private UserProfile write(UserProfile user, String name, Role role, boolean active) throws SQLException {
        if (user.name().equals(name) && user.role() == role && user.isActive() == active) {
            return user;
        }
        if (user.isErased()) {
            throw Failure.conflict("The data of this user were erased.");
        }
        var now = change.now();
        var roleName = EnumNames.format(role);
        var updatedAt = Timestamps.later(now, user.updatedAt());
        change.sql().update(UPDATE, name, roleName, active, now, updatedAt, change.organizationId(), user.id());
        audit(user, name, role, active);
        var changed = find(user.id(), "");
        change.updated(UPDATED, IdKind.USER.format(user.id()), UserResponse.of(user), UserResponse.of(changed));
        return changed;
    }

    private void audit(UserProfile user, String name, Role role, boolean active) throws SQLException {
        if (!user.name().equals(name)) {
            change.record(AuditAction.USER_RENAMED, user.id(), null, null);
        }
        if (user.role() != role) {
            var detail = Differences.of("role", EnumNames.format(user.role()), EnumNames.format(role));
            change.record(AuditAction.USER_ROLE_CHANGED, user.id(), null, detail);
        }
        if (user.isActive() != active) {
            var action = active ? AuditAction.USER_REACTIVATED : AuditAction.USER_DEACTIVATED;
            change.record(action, user.id(), null, null);
        }
    }

    /**
     * Checks that the organisation keeps an active admin. {@link #lock} locks the organisation, which serialises these
     * checks. So two admins cannot demote or deactivate each other at the same moment.
     */
    private void requireAdminBeside(UserProfile user, Role role, boolean active) throws SQLException {
        boolean wasAdmin = user.isActive() && user.role() == Role.ADMIN;
        if (wasAdmin && !(active && role == Role.ADMIN)) {
            var others =
                    change.sql().first(row -> row.getLong(1), COUNT_OTHER_ADMINS, change.organizationId(), user.id());
            if (others.orElseThrow() == 0) {
                throw Failure.of(ErrorCode.LAST_ADMIN);
            }
        }
    }

    /** Reads a user under a lock. */
    UserProfile lock(UUID id) throws SQLException {
        return lock(id, "FOR NO KEY UPDATE OF u");
    }

    /** Locks the organisation, then the user. All writers lock in this order. */
    private UserProfile lock(UUID id, String strength) throws SQLException {
        Organization.lock(change);
        return find(id, strength);
    }

    private UserProfile find(UUID id, String lock) throws SQLException {
        return change.sql()
                .first(UserProfile.TABLE.reader(), FIND + lock, change.organizationId(), id)
                .orElseThrow(() -> Failure.notFound("user"));
    }
}
