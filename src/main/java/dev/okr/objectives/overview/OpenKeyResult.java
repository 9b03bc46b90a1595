package dev.okr.objectives.overview;

import dev.okr.organizations.tenant.TenantSql;
import dev.okr.platform.transactions.Sql;
import java.math.BigDecimal;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;

/** A key result of a cycle that has not reached its target. */
public record OpenKeyResult(UUID id, String title, String objective, String owner, BigDecimal progress) {
    // The statement ends when it has found enough. It does not count, because a cycle can have 30,000 key results.
    private static final String OF_CYCLE = """
            SELECT k.id, k.title, k.progress, o.title AS objective_title, u.name AS owner
            FROM objective o
            JOIN key_result k ON k.organization_id = :organization AND k.objective_id = o.id
            JOIN users u ON u.organization_id = :organization AND u.id = k.owner_id
            WHERE o.organization_id = :organization AND o.cycle_id = ? AND k.progress < 1
            ORDER BY o.created_at DESC, o.id DESC LIMIT ?
            """;

    /** Some of them. Those with the least progress come first. */
    public static List<OpenKeyResult> some(UUID cycleId, int limit) {
        return TenantSql.current().listPlanned(OpenKeyResult::read, OF_CYCLE, cycleId, limit).stream()
                .sorted(Comparator.comparing(OpenKeyResult::progress).thenComparing(OpenKeyResult::id))
                .toList();
    }

    private static OpenKeyResult read(ResultSet row) throws SQLException {
        return new OpenKeyResult(
                Sql.uuid(row, "id"),
                row.getString("title"),
                row.getString("objective_title"),
                row.getString("owner"),
                row.getBigDecimal("progress"));
    }
}
