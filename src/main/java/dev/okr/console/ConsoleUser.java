package dev.okr.console;

import dev.okr.organizations.Plan;
import dev.okr.organizations.Role;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.http.Caller;
import dev.okr.platform.http.EnumNames;
import dev.okr.platform.http.Text;
import dev.okr.platform.transactions.Sql;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;

/** The user of the console, as read from the database for this request. */
public record ConsoleUser(Caller.Identity identity, Role role, String name, String organization, Plan plan) {
    private static final String FIND = """
            /* all organizations */
            SELECT u.organization_id, u.id, u.role, u.name, o.name AS organization, o.plan
            FROM users u JOIN organization o ON o.id = u.organization_id
            WHERE lower(u.email COLLATE "C") = lower(? COLLATE "C") AND u.deactivated_at IS NULL
            LIMIT 2
            """;

    boolean isSameUserWithSameRole(ConsoleUser other) {
        return identity.equals(other.identity) && role == other.role;
    }

    boolean isAdmin() {
        return identity.isAdmin();
    }

    /** Whether the user may create and change objectives, key results and check-ins. */
    public boolean mayWrite() {
        return role != Role.VIEWER;
    }

    /**
     * The active user with this email address, in any organisation. Nothing is cached, so that deactivations and role
     * changes take effect with the next request. An entity query would bind the request's session to a tenant before
     * the tenant is known.
     *
     * @throws Failure if several users have the address. The migration of the addresses reports them.
     */
    static Optional<ConsoleUser> find(String email, Sql sql) throws SQLException {
        if (!Text.isClean(email)) {
            // PostgreSQL rejects text with NUL, and no user has such an address.
            return Optional.empty();
        }
        var found = sql.list(ConsoleUser::read, FIND, email);
        if (found.size() > 1) {
            throw Failure.forbidden(
                    "Several users have the email address %s. Ask an operator to erase all but one.".formatted(email));
        }
        return found.stream().findFirst();
    }

    private static ConsoleUser read(ResultSet row) throws SQLException {
        var role = EnumNames.parse(Role.class, row.getString("role")).orElseThrow();
        return new ConsoleUser(
                new Caller.Identity(Sql.uuid(row, "organization_id"), Sql.uuid(row, "id"), role == Role.ADMIN, null),
                role,
                row.getString("name"),
                row.getString("organization"),
                EnumNames.parse(Plan.class, row.getString("plan")).orElseThrow());
    }
}
