package dev.okr.objectives.overview;

import dev.okr.organizations.tenant.TenantSql;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.ids.IdKind;
import dev.okr.platform.transactions.Sql;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.UUID;

/** A key result with its objective and its cycle. One statement reads it in one snapshot. */
public record KeyResultDetailView(
        KeyResultView keyResult, UUID ownerId, UUID objectiveId, String objective, CycleChoice cycle) {
    private static final String READ = """
            SELECT %s, k.owner_id, o.id AS objective_id, o.title AS objective_title,
                c.id AS cycle_id, c.name AS cycle_name, c.status AS cycle_status, c.starts_at, c.ends_at, c.closed_at,
                c.final_progress
            FROM key_result k
            JOIN objective o ON o.organization_id = :organization AND o.id = k.objective_id
            JOIN cycle c ON c.organization_id = :organization AND c.id = o.cycle_id
            %s
            WHERE k.organization_id = :organization AND k.id = ?
            """.formatted(KeyResultView.COLUMNS, KeyResultView.JOINS);

    /** @throws Failure if the organisation has no such key result */
    public static KeyResultDetailView require(String publicId) {
        return IdKind.KEY_RESULT
                .parse(publicId)
                .flatMap(id -> TenantSql.current().first(KeyResultDetailView::read, READ, id))
                .orElseThrow(() -> Failure.notFound("key result"));
    }

    private static KeyResultDetailView read(ResultSet row) throws SQLException {
        return new KeyResultDetailView(
                KeyResultView.read(row).orElseThrow(),
                Sql.uuid(row, "owner_id"),
                Sql.uuid(row, "objective_id"),
                row.getString("objective_title"),
                CycleChoice.ofObjective(row));
    }
}
