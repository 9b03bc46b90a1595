package dev.okr.operations.provisioning;

import dev.okr.events.audit.Actor;
import dev.okr.events.audit.AuditAction;
import dev.okr.events.audit.AuditLog;
import dev.okr.platform.ids.IdKind;
import dev.okr.platform.transactions.Sql;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Takes down what an organisation file changed: nothing, when it is applied for the second time. */
final class ProvisioningAudit {
    private final Sql sql;
    private final Instant now;

    ProvisioningAudit(Sql sql, Instant now) {
        this.sql = sql;
        this.now = now;
    }

    /**
     * What can change of an organisation or a person.
     *
     * @param standing the plan or the role
     */
    record Found(UUID id, String name, String standing) {

        static Found read(ResultSet row) throws SQLException {
            return new Found(row.getObject("id", UUID.class), row.getString("name"), row.getString("standing"));
        }
    }

    /** A row that was written. */
    record Put(UUID id, boolean created) {

        static Put read(ResultSet row) throws SQLException {
            return new Put(row.getObject("id", UUID.class), row.getBoolean("created"));
        }
    }

    void organization(Optional<Found> before, Found after) throws SQLException {
        if (before.isEmpty()) {
            record(after.id(), AuditAction.ORGANIZATION_CREATED, after.id(), after.name(), null);
            return;
        }
        if (!before.get().name().equals(after.name())) {
            var detail = "before " + before.get().name();
            record(after.id(), AuditAction.ORGANIZATION_RENAMED, after.id(), after.name(), detail);
        }
        if (!before.get().standing().equals(after.standing())) {
            var detail = before.get().standing() + " to " + after.standing();
            record(after.id(), AuditAction.ORGANIZATION_PLAN_CHANGED, after.id(), after.name(), detail);
        }
    }

    /** Without names, which are not for the audit log. */
    void user(UUID organizationId, Optional<Found> before, Found after) throws SQLException {
        if (before.isEmpty()) {
            record(organizationId, AuditAction.USER_INVITED, after.id(), null, "as " + after.standing());
            return;
        }
        if (!before.get().name().equals(after.name())) {
            record(organizationId, AuditAction.USER_RENAMED, after.id(), null, null);
        }
        if (!before.get().standing().equals(after.standing())) {
            var detail = before.get().standing() + " to " + after.standing();
            record(organizationId, AuditAction.USER_ROLE_CHANGED, after.id(), null, detail);
        }
    }

    void apiKey(UUID organizationId, Put put, String name) throws SQLException {
        var action = put.created() ? AuditAction.API_KEY_CREATED : AuditAction.API_KEY_CHANGED;
        record(organizationId, action, put.id(), name, null);
    }

    void team(UUID organizationId, Put put, String name) throws SQLException {
        record(organizationId, AuditAction.TEAM_CREATED, put.id(), name, null);
    }

    void member(UUID organizationId, UUID teamId, String teamName, UUID userId, String role) throws SQLException {
        var detail = IdKind.USER.format(userId) + " as " + role;
        record(organizationId, AuditAction.TEAM_MEMBER_SET, teamId, teamName, detail);
    }

    private void record(
            UUID organizationId,
            AuditAction action,
            UUID subjectId,
            @Nullable String subjectName,
            @Nullable String detail)
            throws SQLException {
        AuditLog.record(sql, Actor.ORGANIZATION_FILE, organizationId, action, subjectId, subjectName, detail, now);
    }
}
