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
 * The number and the mean progress of a cycle's objectives. Every change of an objective also changes the sums in
 * {@code cycle_totals}, in the same transaction. A cycle has up to 32 rows there. The id of an objective selects one of
 * them. So concurrent changes in one cycle seldom wait for each other.
 */
public record CycleTotals(long objectives, BigDecimal progress) {
    static final CycleTotals NONE = new CycleTotals(0, Progress.NONE);

    /** The number of rows of a cycle. A power of two. */
    private static final int SLOTS = 32;

    // The triggers of the schema count the changes of the previous version, which may still run during an upgrade. The
    // setting turns them off for this transaction. A later version drops the triggers and the setting.
    private static final String WITHOUT_TRIGGERS = "SET LOCAL okr.cycle_totals = 'program'";

    private static final String ADD = WITHOUT_TRIGGERS + """
            ;
            INSERT INTO cycle_totals AS t (organization_id, cycle_id, slot, objectives, progress)
            VALUES (:organization, ?, ?, ?, ?)
            ON CONFLICT (organization_id, cycle_id, slot)
            DO UPDATE SET objectives = t.objectives + excluded.objectives, progress = t.progress + excluded.progress
            """;

    private static final String COUNT = """
            INSERT INTO cycle_totals (organization_id, cycle_id, slot, objectives, progress)
            SELECT organization_id, cycle_id, 0, count(*), sum(progress) FROM objective
            WHERE organization_id = ? AND cycle_id = ? GROUP BY organization_id, cycle_id
            """;

    private static final String OF_CYCLES = """
            SELECT cycle_id, sum(objectives) AS objectives, sum(progress) AS progress FROM cycle_totals
            WHERE organization_id = :organization AND cycle_id = ANY (?) GROUP BY cycle_id
            """;

    /** Counts a new objective, whose progress is zero. Like all verbs here, call it before the objective is written. */
    public static void added(UUID objective, UUID cycle) {
        add(objective, cycle, 1, BigDecimal.ZERO);
    }

    public static void progressed(UUID objective, UUID cycle, BigDecimal change) {
        add(objective, cycle, 0, change);
    }

    /** Moves an objective to another cycle. Rows are locked in the order of the cycles, so two moves cannot deadlock. */
    public static void moved(UUID objective, UUID from, UUID to, BigDecimal progress) {
        boolean ascending = from.toString().compareTo(to.toString()) < 0;
        if (ascending) {
            removed(objective, from, progress);
        }
        add(objective, to, 1, progress);
        if (!ascending) {
            removed(objective, from, progress);
        }
    }

    public static void removed(UUID objective, UUID cycle, BigDecimal progress) {
        add(objective, cycle, -1, progress.negate());
    }

    private static void add(UUID objective, UUID cycle, int objectives, BigDecimal progress) {
        long slot = objective.getLeastSignificantBits() & (SLOTS - 1);
        TenantSql.current().write(ADD, cycle, slot, objectives, progress);
    }

    /** Announces that objectives are written without the verbs above. {@link #countAll} must follow. */
    public static void begin(Sql sql) throws SQLException {
        sql.update(WITHOUT_TRIGGERS);
    }

    /** Counts the objectives of a cycle that was created in this transaction. */
    public static void countAll(Sql sql, UUID organizationId, UUID cycle) throws SQLException {
        sql.update(COUNT, organizationId, cycle);
    }

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
