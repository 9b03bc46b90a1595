package dev.okr.organizations;

import dev.okr.organizations.audit.AuditAction;
import dev.okr.organizations.audit.Change;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.http.EnumNames;
import dev.okr.platform.ids.UuidV7;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;
import java.util.UUID;

/**
 * Writes the users table. Each change adds an entry without names to the audit log. No other class writes the table,
 * except for the {@code provisioned_…} columns.
 */
public final class UserWriter {
    private static final String ERASED_NAME = "Erased user";

    private static final String INSERT = """
            INSERT INTO users (organization_id, id, email, name, role, created_at) VALUES (?, ?, ?, ?, ?, ?)
            ON CONFLICT DO NOTHING
            """;
    private static final String COUNT = "SELECT count(*) FROM users WHERE organization_id = ?";
    private static final String FIND = """
            SELECT id, name, role, deactivated_at IS NULL AS active, erased_at IS NOT NULL AS erased
            FROM users WHERE organization_id = ? AND id = ?
            """;
    private static final String COUNT_OTHER_ADMINS = """
            SELECT count(*) FROM users
            WHERE organization_id = ? AND id <> ? AND role = 'admin' AND deactivated_at IS NULL
            """;
    private static final String SET_NAME = "UPDATE users SET name = ? WHERE organization_id = ? AND id = ?";
    private static final String SET_ROLE = "UPDATE users SET role = ? WHERE organization_id = ? AND id = ?";
    private static final String SET_DEACTIVATED =
            "UPDATE users SET deactivated_at = ? WHERE organization_id = ? AND id = ?";
    private static final String ERASE = """
            UPDATE users SET name = ?, email = ?, erased_at = ?, deactivated_at = coalesce(deactivated_at, ?),
                provisioned_name = NULL, provisioned_role = NULL
            WHERE organization_id = ? AND id = ?
            """;

    private final Change change;

    public UserWriter(Change change) {
        this.change = change;
    }

    private record Row(UUID id, String name, Role role, boolean active, boolean erased) {
        static Row read(ResultSet row) throws SQLException {
            return new Row(
                    row.getObject("id", UUID.class),
                    row.getString("name"),
                    EnumNames.parse(Role.class, row.getString("role")).orElseThrow(),
                    row.getBoolean("active"),
                    row.getBoolean("erased"));
        }
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
        var id = UuidV7.at(change.now());
        var roleName = EnumNames.format(role);
        if (change.sql().update(INSERT, change.organizationId(), id, email, name, roleName, change.now()) == 0) {
            return Optional.empty();
        }
        change.record(AuditAction.USER_INVITED, id, null, roleName);
        return Optional.of(id);
    }

    public void rename(UUID id, String newName) throws SQLException {
        var user = lock(id, "FOR NO KEY UPDATE");
        if (!user.name.equals(newName)) {
            change.sql().update(SET_NAME, newName, change.organizationId(), id);
            change.record(AuditAction.USER_RENAMED, id, null, null);
        }
    }

    /** @throws Failure a conflict if the organisation would have no active admin left */
    public void changeRole(UUID id, Role newRole) throws SQLException {
        var user = lock(id, "FOR NO KEY UPDATE");
        if (user.role == Role.ADMIN && newRole != Role.ADMIN) {
            requireAnotherAdmin(id);
        }
        setRole(user, newRole);
    }

    /** Sets the role from the organisation file, even if the organisation then has no active admin. */
    public void overrideRole(UUID id, Role newRole) throws SQLException {
        setRole(lock(id, "FOR NO KEY UPDATE"), newRole);
    }

    /** @throws Failure a conflict if the organisation would have no active admin left */
    public void deactivate(UUID id) throws SQLException {
        var user = lock(id, "FOR NO KEY UPDATE");
        if (user.active) {
            requireAdminBeside(user);
            change.sql().update(SET_DEACTIVATED, change.now(), change.organizationId(), id);
            change.record(AuditAction.USER_DEACTIVATED, id, null, null);
        }
    }

    /** @throws Failure a conflict if the user's personal data were erased */
    public void reactivate(UUID id) throws SQLException {
        var user = lock(id, "FOR NO KEY UPDATE");
        if (user.erased) {
            throw Failure.conflict("The data of this user were erased.");
        }
        if (!user.active) {
            change.sql().update(SET_DEACTIVATED, null, change.organizationId(), id);
            change.record(AuditAction.USER_REACTIVATED, id, null, null);
        }
    }

    /**
     * Erases the name and the email address, and deactivates the user.
     *
     * @throws Failure a conflict if the organisation would have no active admin left
     */
    public void erase(UUID id) throws SQLException {
        // This lock also waits for transactions that insert references to the user, such as memberships.
        var user = lock(id, "FOR UPDATE");
        if (user.active) {
            requireAdminBeside(user);
        }
        var address = EmailAddress.ofErased(id).text();
        change.sql().update(ERASE, ERASED_NAME, address, change.now(), change.now(), change.organizationId(), id);
        change.record(AuditAction.USER_ERASED, id, null, null);
    }

    private void setRole(Row user, Role newRole) throws SQLException {
        if (user.role != newRole) {
            change.sql().update(SET_ROLE, EnumNames.format(newRole), change.organizationId(), user.id);
            var detail = EnumNames.format(user.role) + " to " + EnumNames.format(newRole);
            change.record(AuditAction.USER_ROLE_CHANGED, user.id, null, detail);
        }
    }

    private void requireAdminBeside(Row user) throws SQLException {
        if (user.role == Role.ADMIN) {
            requireAnotherAdmin(user.id);
        }
    }

    private void requireAnotherAdmin(UUID id) throws SQLException {
        var others = change.sql().first(row -> row.getLong(1), COUNT_OTHER_ADMINS, change.organizationId(), id);
        if (others.orElseThrow() == 0) {
            throw Failure.conflict("The organisation needs another active admin first.");
        }
    }

    /**
     * Locks the organisation, then the user. All writers lock in this order. The lock on the organisation also keeps
     * two admins from deactivating each other at the same time.
     */
    private Row lock(UUID id, String strength) throws SQLException {
        Organization.lock(change);
        return change.sql()
                .first(Row::read, FIND + strength, change.organizationId(), id)
                .orElseThrow(() -> Failure.notFound("user"));
    }
}
