package dev.okr.organizations.audit;

import dev.okr.organizations.tenant.NewestFirst;
import dev.okr.organizations.tenant.TenantTable;
import dev.okr.platform.http.EnumNames;
import dev.okr.platform.ids.UuidV7;
import dev.okr.platform.transactions.Sql;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * An entry of the audit log.
 *
 * @param userId the person who acted; null unless the actor is a user
 * @param subjectId the public id of the subject
 * @param subjectName the name that the subject had then; null for a person
 */
public record AuditEntry(
        UUID id,
        Actor actor,
        @Nullable UUID userId,
        AuditAction action,
        String subjectId,
        @Nullable String subjectName,
        @Nullable String detail,
        Instant createdAt) {

    private static final TenantTable<AuditEntry> TABLE = new TenantTable<>(
            "audit_entry",
            List.of("id", "actor", "user_id", "action", "subject_id", "subject_name", "detail", "created_at"),
            AuditEntry::read);

    /**
     * The newest entries of the organisation that match a filter, newest first. They are not counted, because the log
     * may be long. Their ids contain the time, so one index finds a period.
     *
     * @param before lists only entries older than this one; null lists from the newest entry
     */
    public static List<AuditEntry> newest(AuditFilter filter, @Nullable UUID before, int limit) {
        var entries = NewestFirst.byId(TABLE)
                .with("action", filter.actions())
                .with("user_id", filter.userIds())
                .planned();
        if (filter.from() != null) {
            entries.where("e.id >= ?", UuidV7.least(filter.from()));
        }
        if (filter.until() != null) {
            entries.where("e.id < ?", UuidV7.least(filter.until()));
        }
        return entries.first(before, limit);
    }

    private static AuditEntry read(ResultSet row) throws SQLException {
        return new AuditEntry(
                Sql.uuid(row, "id"),
                EnumNames.parse(Actor.class, row.getString("actor")).orElseThrow(),
                Sql.uuid(row, "user_id"),
                EnumNames.parse(AuditAction.class, row.getString("action")).orElseThrow(),
                row.getString("subject_id"),
                row.getString("subject_name"),
                row.getString("detail"),
                Sql.instant(row, "created_at"));
    }
}
