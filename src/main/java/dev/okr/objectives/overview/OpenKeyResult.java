package dev.okr.objectives.overview;

import dev.okr.organizations.tenant.TenantSql;
import dev.okr.platform.http.Slice;
import dev.okr.platform.transactions.Sql;
import java.math.BigDecimal;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.UUID;

/** A key result of a cycle that has not reached its target. */
public record OpenKeyResult(UUID id, String title, String objective, String owner, BigDecimal progress) {
    // The inner query reads and sorts no texts of key results that are not shown.
    private static final String OF_CYCLE = """
            SELECT k.id, k.title, k.progress, o.title AS objective_title, found.total, u.name AS owner
            FROM (
                SELECT k.id, count(*) OVER () AS total
                FROM objective o
                JOIN key_result k ON k.organization_id = :organization AND k.objective_id = o.id
                WHERE o.organization_id = :organization AND o.cycle_id = ? AND k.progress < 1
                ORDER BY k.progress, k.id LIMIT ?) found
            JOIN key_result k ON k.organization_id = :organization AND k.id = found.id
            JOIN objective o ON o.organization_id = :organization AND o.id = k.objective_id
            JOIN users u ON u.organization_id = :organization AND u.id = k.owner_id
            ORDER BY k.progress, k.id
            """;

    private record Row(OpenKeyResult keyResult, long total) {}

    /** Those with the least progress come first. */
    public static Slice<OpenKeyResult> list(UUID cycleId, int limit) {
        var rows = TenantSql.current()
                .listPlanned(row -> new Row(read(row), row.getLong("total")), OF_CYCLE, cycleId, limit);
        return new Slice<>(
                rows.stream().map(Row::keyResult).toList(),
                rows.isEmpty() ? 0 : rows.getFirst().total(),
                null);
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
