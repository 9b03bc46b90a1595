package dev.okr.organizations.audit;

import dev.okr.organizations.tenant.EnumConverter;
import dev.okr.organizations.tenant.NewestFirst;
import dev.okr.organizations.tenant.TenantEntity;
import dev.okr.organizations.tenant.TenantTable;
import dev.okr.platform.http.EnumNames;
import dev.okr.platform.transactions.Sql;
import jakarta.persistence.Column;
import jakarta.persistence.Converter;
import jakarta.persistence.Entity;
import jakarta.persistence.Table;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.hibernate.annotations.Immutable;
import org.jspecify.annotations.Nullable;

/** An entry of the audit log. */
@Entity
@Immutable
@Table(name = "audit_entry")
public class AuditEntry extends TenantEntity {
    private static final TenantTable<AuditEntry> TABLE = new TenantTable<>(
            "audit_entry",
            List.of("id", "actor", "user_id", "action", "subject_id", "subject_name", "detail", "created_at"),
            AuditEntry::read);

    @Column(name = "actor")
    Actor actor;

    @Column(name = "user_id")
    @Nullable
    UUID userId;

    @Column(name = "action")
    AuditAction action;

    @Column(name = "subject_id")
    String subjectId;

    @Column(name = "subject_name")
    @Nullable
    String subjectName;

    @Column(name = "detail")
    @Nullable
    String detail;

    @Column(name = "created_at")
    Instant createdAt;

    public Actor actor() {
        return actor;
    }

    /** The user who made the change. Null unless the actor is a user. */
    public @Nullable UUID userId() {
        return userId;
    }

    public AuditAction action() {
        return action;
    }

    /** The public id of the changed resource. */
    public String subjectId() {
        return subjectId;
    }

    /** The name of the subject at the time of the change. Null for users. */
    public @Nullable String subjectName() {
        return subjectName;
    }

    public @Nullable String detail() {
        return detail;
    }

    public Instant createdAt() {
        return createdAt;
    }

    /**
     * Lists the newest entries of the organisation, newest first. They are not counted, since there may be very many.
     *
     * @param before lists only entries older than this one; null lists from the newest entry
     */
    public static List<AuditEntry> newest(@Nullable UUID before, int limit) {
        return NewestFirst.byId(TABLE, AuditEntry::createdAt).first(before, limit);
    }

    private static AuditEntry read(ResultSet row) throws SQLException {
        var auditEntry = unmanaged(new AuditEntry());
        auditEntry.id = Sql.uuid(row, "id");
        auditEntry.actor = EnumNames.parse(Actor.class, row.getString("actor")).orElseThrow();
        auditEntry.userId = Sql.uuid(row, "user_id");
        auditEntry.action =
                EnumNames.parse(AuditAction.class, row.getString("action")).orElseThrow();
        auditEntry.subjectId = row.getString("subject_id");
        auditEntry.subjectName = row.getString("subject_name");
        auditEntry.detail = row.getString("detail");
        auditEntry.createdAt = Sql.instant(row, "created_at");
        return auditEntry;
    }

    @Converter(autoApply = true)
    static class ActorConverter extends EnumConverter<Actor> {
        ActorConverter() {
            super(Actor.class);
        }
    }

    @Converter(autoApply = true)
    static class ActionConverter extends EnumConverter<AuditAction> {
        ActionConverter() {
            super(AuditAction.class);
        }
    }
}
