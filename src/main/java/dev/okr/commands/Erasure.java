package dev.okr.commands;

import dev.okr.audit.AuditAction;
import dev.okr.ids.IdKind;
import dev.okr.transactions.Sql;
import dev.okr.users.User;
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

    private final Sql sql;
    private final Instant now;

    Erasure(Sql sql, Instant now) {
        this.sql = sql;
        this.now = now;
    }

    void erase(Person person) throws SQLException {
        var organizationId = person.organizationId();
        ids(LOCK, organizationId, person.id());
        User.require(person.id()).erase(now);
        sql.update(FORGET_FILE, organizationId, person.id());
        eraseKeys(organizationId, person.id());
        Operations.record(sql, organizationId, AuditAction.USER_ERASED, person.id(), null, null, now);
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
