package dev.okr.organizations;

import dev.okr.organizations.audit.AuditAction;
import dev.okr.organizations.audit.Change;
import dev.okr.organizations.audit.Differences;
import dev.okr.platform.http.EnumNames;
import dev.okr.platform.transactions.Sql;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;
import java.util.UUID;

/** A row of the organisation table. Only this class writes it, except for the {@code provisioned_…} columns. */
public record Organization(UUID id, String slug, String name, Plan plan) {
    private static final String INSERT = """
            INSERT INTO organization (id, slug, name, plan, created_at) VALUES (?, ?, ?, ?, ?)
            ON CONFLICT (slug) DO NOTHING
            """;
    private static final String FIND = "SELECT id, slug, name, plan FROM organization WHERE slug = ?";
    private static final String LOCK = "SELECT id, slug, name, plan FROM organization WHERE id = ? FOR NO KEY UPDATE";
    private static final String RENAME = "UPDATE organization SET name = ? WHERE id = ?";
    private static final String SET_PLAN = "UPDATE organization SET plan = ? WHERE id = ?";

    public static Optional<Organization> find(Sql sql, String slug) throws SQLException {
        return sql.first(Organization::read, FIND, slug);
    }

    /** Creates the organisation of the change. Returns false if the slug is taken. */
    public static boolean create(Change change, String slug, String name, Plan plan) throws SQLException {
        var id = change.organizationId();
        if (change.sql().update(INSERT, id, slug, name, EnumNames.format(plan), change.now()) == 0) {
            return false;
        }
        change.record(AuditAction.ORGANIZATION_CREATED, id, name, null);
        return true;
    }

    /** Renames the organisation of the change. */
    public static void rename(Change change, String newName) throws SQLException {
        var organization = lock(change);
        if (!organization.name.equals(newName)) {
            change.sql().update(RENAME, newName, organization.id);
            change.record(
                    AuditAction.ORGANIZATION_RENAMED,
                    organization.id,
                    newName,
                    Differences.ofText("name", organization.name, newName));
        }
    }

    /** Sets the plan of the organisation of the change, and returns the plan before. */
    public static Plan setPlan(Change change, Plan newPlan) throws SQLException {
        var organization = lock(change);
        var oldPlan = organization.plan;
        if (oldPlan != newPlan) {
            change.sql().update(SET_PLAN, EnumNames.format(newPlan), organization.id);
            var detail = Differences.of("plan", EnumNames.format(oldPlan), EnumNames.format(newPlan));
            change.record(AuditAction.ORGANIZATION_PLAN_CHANGED, organization.id, organization.name, detail);
        }
        return oldPlan;
    }

    /** Locks the row until the end of the transaction. Inserts of rows that refer to it do not wait for this lock. */
    static Organization lock(Change change) throws SQLException {
        return change.sql()
                .first(Organization::read, LOCK, change.organizationId())
                .orElseThrow();
    }

    private static Organization read(ResultSet row) throws SQLException {
        return new Organization(
                Sql.uuid(row, "id"),
                row.getString("slug"),
                row.getString("name"),
                EnumNames.parse(Plan.class, row.getString("plan")).orElseThrow());
    }
}
