package dev.okr.console;

import dev.okr.organizations.Plan;
import dev.okr.organizations.Role;
import dev.okr.platform.http.Caller;
import dev.okr.platform.http.EnumNames;
import dev.okr.platform.http.Text;
import dev.okr.platform.transactions.Sql;
import io.agroal.api.AgroalDataSource;
import jakarta.enterprise.context.ApplicationScoped;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;
import java.util.UUID;

/**
 * Looks up the signed-in user with plain JDBC, because an entity query would bind the request's session to a tenant
 * before the tenant is known. Nothing is cached, so that deactivations and role changes take effect with the next
 * request.
 */
@ApplicationScoped
class ConsoleUsers {
    private static final String FIND = """
            /* all organizations */
            SELECT u.organization_id, u.id, u.role, u.name, o.name AS organization, o.plan
            FROM users u JOIN organization o ON o.id = u.organization_id
            WHERE lower(u.email) = lower(?) AND u.deactivated_at IS NULL
            """;

    private final AgroalDataSource database;

    ConsoleUsers(AgroalDataSource database) {
        this.database = database;
    }

    /** The active user with this email address, in any organisation. */
    Optional<ConsoleUser> find(String email) {
        if (!Text.isClean(email)) {
            // PostgreSQL rejects text with NUL, and no user has such an address.
            return Optional.empty();
        }
        try (var connection = database.getConnection()) {
            return new Sql(connection).first(ConsoleUsers::read, FIND, email);
        } catch (SQLException e) {
            throw new IllegalStateException("cannot look up the user", e);
        }
    }

    private static ConsoleUser read(ResultSet row) throws SQLException {
        var identity = new Caller.Identity(
                row.getObject("organization_id", UUID.class),
                row.getObject("id", UUID.class),
                EnumNames.parse(Role.class, row.getString("role")).orElseThrow() == Role.ADMIN,
                null);
        return new ConsoleUser(
                identity,
                row.getString("name"),
                row.getString("organization"),
                EnumNames.parse(Plan.class, row.getString("plan")).orElseThrow());
    }
}
