package dev.okr.operations.commands;

import dev.okr.organizations.EmailAddress;
import dev.okr.platform.transactions.Sql;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;
import java.util.UUID;

/** A user of any organisation, found by email address. */
record UserLookup(UUID organizationId, UUID id, String slug, String name) {
    private static final String FIND = """
            /* all organizations */
            SELECT u.organization_id, u.id, o.slug, u.name
            FROM users u JOIN organization o ON o.id = u.organization_id
            WHERE lower(u.email) = lower(?)
            """;

    static Optional<UserLookup> find(Sql sql, EmailAddress email) throws SQLException {
        return sql.first(UserLookup::read, FIND, email.text());
    }

    /** @throws CommandFailure if no user has the email address */
    static UserLookup require(Sql sql, EmailAddress email) throws SQLException {
        return find(sql, email)
                .orElseThrow(() -> new CommandFailure("There is no user with the email address " + email + "."));
    }

    private static UserLookup read(ResultSet row) throws SQLException {
        return new UserLookup(
                row.getObject("organization_id", UUID.class),
                row.getObject("id", UUID.class),
                row.getString("slug"),
                row.getString("name"));
    }
}
