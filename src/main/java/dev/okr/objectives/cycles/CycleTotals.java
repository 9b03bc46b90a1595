package dev.okr.objectives.cycles;

import dev.okr.objectives.progress.Progress;
import dev.okr.organizations.tenant.TenantSql;
import dev.okr.platform.ids.IdKind;
import dev.okr.platform.transactions.Sql;
import java.math.BigDecimal;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;

/**
 * The number and the mean progress of a cycle's objectives. Triggers of the schema keep the sums in
 * {@code cycle_totals}. A cycle has 32 rows there, which all database sessions share. So concurrent changes in one
 * cycle seldom wait for each other.
 */
record CycleTotals(long objectives, BigDecimal progress) {
    static final CycleTotals NONE = new CycleTotals(0, Progress.NONE);

    private static final String OF_CYCLES = """
            SELECT cycle_id, sum(objectives) AS objectives, sum(progress) AS progress FROM cycle_totals
            WHERE organization_id = :organization AND cycle_id = ANY (?) GROUP BY cycle_id
            """;

    static CycleTotals of(UUID cycleId) {
        return of(List.of(cycleId)).getOrDefault(IdKind.CYCLE.format(cycleId), NONE);
    }

    /** The totals of the cycles that have objectives, by public id. */
    static Map<String, CycleTotals> of(Collection<UUID> cycleIds) {
        if (cycleIds.isEmpty()) {
            return Map.of();
        }
        var totals = new HashMap<String, CycleTotals>();
        TenantSql.current()
                .list(
                        row -> totals.put(IdKind.CYCLE.format(Sql.uuid(row, "cycle_id")), read(row)),
                        OF_CYCLES,
                        cycleIds);
        return totals;
    }

    /** Reads the sums from the columns {@code objectives} and {@code progress}. */
    static CycleTotals read(ResultSet row) throws SQLException {
        long objectives = row.getLong("objectives");
        var sum = Objects.requireNonNullElse(row.getBigDecimal("progress"), BigDecimal.ZERO);
        return new CycleTotals(objectives, Progress.mean(sum, objectives));
    }
}
