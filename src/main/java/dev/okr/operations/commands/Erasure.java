package dev.okr.operations.commands;

import dev.okr.events.audit.AuditAction;
import dev.okr.organizations.User;
import dev.okr.organizations.tenant.OrganizationLock;
import dev.okr.platform.ids.IdKind;
import dev.okr.platform.transactions.Sql;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.UUID;

/**
 * Erases a person's data, within a transaction of the person's organisation. What is left is an id that history refers
 * to. A column that comes to hold a person's name or address has to be emptied here.
 */
final class Erasure {
    private static final String LOCK = "SELECT id FROM users WHERE organization_id = ? AND id = ? FOR UPDATE";

    private static final String FORGET_FILE = """
            UPDATE users SET provisioned_name = NULL, provisioned_role = NULL WHERE organization_id = ? AND id = ?
            """;
    private static final String FIND_VALID_KEYS = """
            SELECT id FROM api_key WHERE organization_id = ? AND user_id = ? AND revoked_at IS NULL FOR UPDATE
            """;
    // A name may say whose key it is. The hash of a random text is nobody's token.
    private static final String ERASE_KEYS = """
            UPDATE api_key SET
                name = 'Erased key',
                provisioned_as = NULL,
                token_hash = sha256(convert_to(gen_random_uuid()::text, 'UTF8')),
                revoked_at = coalesce(revoked_at, ?)
            WHERE organization_id = ? AND user_id = ?
            RETURNING id
            """;
    private static final String DELETE_KEPT_RESPONSES =
            "DELETE FROM idempotent_response WHERE organization_id = ? AND api_key_id = ANY (?::uuid[])";
    private static final String CLEAR_AUDIT_LOG =
            "UPDATE audit_entry SET subject_name = NULL WHERE organization_id = ? AND subject_id = ANY (?::text[])";

    private static final String LEAVE_TEAMS = """
            DELETE FROM team_member m USING team t
            WHERE m.organization_id = ? AND m.user_id = ? AND t.organization_id = m.organization_id AND t.id = m.team_id
            RETURNING t.id, t.name
            """;

    private final Sql sql;
    private final Instant now;

    Erasure(Sql sql, Instant now) {
        this.sql = sql;
        this.now = now;
    }

    /** A team that the person was in. */
    private record Left(UUID id, String name) {

        static Left read(ResultSet row) throws SQLException {
            return new Left(row.getObject("id", UUID.class), row.getString("name"));
        }
    }

    void erase(UserLookup person) throws SQLException {
        var organizationId = person.organizationId();
        // In the order in which a start that applies an organisation file locks them.
        OrganizationLock.acquire(organizationId);
        ids(LOCK, organizationId, person.id());
        User.require(person.id()).erase(now);
        sql.update(FORGET_FILE, organizationId, person.id());
        leaveTeams(organizationId, person.id());
        eraseKeys(organizationId, person.id());
        Operations.record(sql, organizationId, AuditAction.USER_ERASED, person.id(), null, null, now);
    }

    private void leaveTeams(UUID organizationId, UUID userId) throws SQLException {
        var person = IdKind.USER.format(userId);
        for (var team : sql.list(Left::read, LEAVE_TEAMS, organizationId, userId)) {
            var action = AuditAction.TEAM_MEMBER_REMOVED;
            Operations.record(sql, organizationId, action, team.id(), team.name(), person, now);
        }
    }

    private void eraseKeys(UUID organizationId, UUID userId) throws SQLException {
        for (var key : ids(FIND_VALID_KEYS, organizationId, userId)) {
            Operations.record(sql, organizationId, AuditAction.API_KEY_REVOKED, key, null, null, now);
        }
        var keys = ids(ERASE_KEYS, now, organizationId, userId);
        sql.update(DELETE_KEPT_RESPONSES, organizationId, keys);
        var publicIds = keys.stream().map(IdKind.API_KEY::format).toList();
        sql.update(CLEAR_AUDIT_LOG, organizationId, publicIds);
    }

    private List<UUID> ids(String statement, Object... parameters) throws SQLException {
        return sql.list(row -> row.getObject("id", UUID.class), statement, parameters);
    }
}
