package dev.okr.operations.commands;

import dev.okr.access.ApiKeyWriter;
import dev.okr.organizations.TeamWriter;
import dev.okr.organizations.UserWriter;
import dev.okr.organizations.audit.AuditLog;
import dev.okr.organizations.audit.Change;
import dev.okr.platform.ids.IdKind;
import java.sql.SQLException;
import java.util.UUID;

/**
 * Erases the personal data of a user. The id stays, because history refers to it. Every column that may hold a person's
 * name or email address must be cleared here.
 */
final class Erasure {
    private static final String DELETE_STORED_RESPONSES =
            "DELETE FROM idempotent_response WHERE organization_id = ? AND api_key_id = ANY (?::uuid[])";

    private Erasure() {}

    static void erase(Change change, UUID userId) throws SQLException {
        new UserWriter(change).erase(userId);
        new TeamWriter(change).removeFromAllTeams(userId);
        var keys = new ApiKeyWriter(change).eraseKeysOf(userId);
        change.sql().update(DELETE_STORED_RESPONSES, change.organizationId(), keys);
        AuditLog.clearNames(change, keys.stream().map(IdKind.API_KEY::format).toList());
    }
}
