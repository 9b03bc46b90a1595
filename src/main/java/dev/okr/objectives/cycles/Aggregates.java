package dev.okr.objectives.cycles;

import dev.okr.objectives.progress.Progress;
import dev.okr.organizations.tenant.TenantSql;
import dev.okr.platform.transactions.Sql;
import java.math.BigDecimal;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * What cycles show of their objectives: the schema keeps the totals with every change of an objective, each session of
 * the database in a row of its own, so that concurrent writers of a cycle do not wait for each other.
 */
record Aggregates(long objectives, BigDecimal progress) {
    static final Aggregates NONE = new Aggregates(0, Progress.NONE);

    private static final String OF_CYCLES = """
            SELECT cycle_id, sum(objectives) AS objectives, sum(progress) AS progress FROM cycle_totals
            WHERE organization_id = :organization AND cycle_id = ANY (?) GROUP BY cycle_id
            """;

    static Map<UUID, Aggregates> of(Collection<UUID> cycleIds) {
        if (cycleIds.isEmpty()) {
            return Map.of();
        }
        var aggregates = new HashMap<UUID, Aggregates>();
        TenantSql.current()
                .list(Row::read, OF_CYCLES, cycleIds)
                .forEach(row -> aggregates.put(row.cycleId(), row.aggregates()));
        return aggregates;
    }

    /** A row of the query. */
    private record Row(UUID cycleId, Aggregates aggregates) {
        static Row read(ResultSet row) throws SQLException {
            long objectives = row.getLong("objectives");
            var progress = Progress.mean(row.getBigDecimal("progress"), objectives);
            return new Row(Sql.uuid(row, "cycle_id"), new Aggregates(objectives, progress));
        }
    }

    static Aggregates of(UUID cycleId) {
        return of(List.of(cycleId)).getOrDefault(cycleId, NONE);
    }
}
