package dev.okr.objectives.cycles;

import dev.okr.organizations.tenant.TenantSql;
import dev.okr.platform.transactions.Sql;
import java.math.BigDecimal;
import java.sql.SQLException;
import java.util.Collection;
import java.util.Comparator;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;

/**
 * Writes {@code cycle_totals}, the number of objectives of a cycle and the sum of their progress. Call the methods in
 * the transaction that changes an objective, before it writes the objective.
 *
 * <p>A cycle has up to 32 rows. The id of an objective selects one of them, so that concurrent changes in one cycle
 * seldom wait for each other. The triggers of the previous version select the row by the process id of the session,
 * which collides less often. In a distributed schema, this would have to be the process id on the worker. Citus does
 * not allow {@code pg_backend_pid} in a statement that writes. The program can compute the row from the id of the
 * objective.
 */
public final class CycleTotals {
    /** The maximum number of rows of a cycle. It must be a power of two. */
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

    private static final String DELETE =
            "DELETE FROM cycle_totals WHERE organization_id = :organization AND cycle_id = ?";

    private static final String COUNT = """
            INSERT INTO cycle_totals (organization_id, cycle_id, slot, objectives, progress)
            SELECT organization_id, cycle_id, 0, count(*), sum(progress) FROM objective
            WHERE organization_id = ? AND cycle_id = ? GROUP BY organization_id, cycle_id
            """;

    private CycleTotals() {}

    /** Counts a new objective, whose progress is zero. */
    public static void added(UUID objective, UUID cycle) {
        add(objective, cycle, 1, BigDecimal.ZERO);
    }

    /** Counts new objectives. Call it for the cycles in their order, see {@link #write}. */
    public static void added(Collection<UUID> objectives, UUID cycle) {
        write(objectives.stream()
                .map(each -> Change.added(each, cycle, BigDecimal.ZERO))
                .toList());
    }

    /**
     * A change of the totals of a cycle.
     *
     * @param objectives the change of the number of objectives
     * @param progress the change of the sum of their progress
     */
    public record Change(UUID objective, UUID cycle, int objectives, BigDecimal progress) {
        public static Change progressed(UUID objective, UUID cycle, BigDecimal change) {
            return new Change(objective, cycle, 0, change);
        }

        public static Change added(UUID objective, UUID cycle, BigDecimal progress) {
            return new Change(objective, cycle, 1, progress);
        }

        public static Change removed(UUID objective, UUID cycle, BigDecimal progress) {
            return new Change(objective, cycle, -1, progress.negate());
        }

        private Row row() {
            return new Row(cycle, slot(objective));
        }

        /** The sum of two changes of a cycle. It belongs to the row of this change. */
        private Change plus(Change other) {
            return new Change(objective, cycle, objectives + other.objectives, progress.add(other.progress));
        }
    }

    /**
     * Sums any number of changes. All changes of a cycle are added to the row of its first change. So the memory use depends
     * only on the number of cycles.
     */
    public static final class Sums {
        private final Map<UUID, Change> byCycle = new TreeMap<>();

        public void add(Change change) {
            byCycle.merge(change.cycle, change, Change::plus);
        }

        /** Rows are locked in the order of the cycles. */
        public void write() {
            CycleTotals.addAll(byCycle.values());
        }
    }

    private record Row(UUID cycle, long slot) {}

    /** Rows are locked in the order of the cycles and slots, so that two of these calls cannot deadlock. */
    public static void write(Collection<Change> changes) {
        var byRow = new TreeMap<Row, Change>(Comparator.comparing(Row::cycle).thenComparing(Row::slot));
        changes.forEach(each -> byRow.merge(each.row(), each, Change::plus));
        addAll(byRow.values());
    }

    private static void addAll(Collection<Change> sums) {
        sums.forEach(sum -> add(sum.objective, sum.cycle, sum.objectives, sum.progress));
    }

    /** Lets the transaction write objectives before the totals of their cycles. {@link #write} must follow. */
    public static void begin() {
        TenantSql.current().set(WITHOUT_TRIGGERS);
    }

    private static void removed(UUID objective, UUID cycle, BigDecimal progress) {
        add(objective, cycle, -1, progress.negate());
    }

    /** Rows are locked in the order of the cycles, so that two moves cannot deadlock. */
    public static void moved(UUID objective, UUID from, UUID to, BigDecimal progress) {
        int order = from.compareTo(to);
        if (order < 0) {
            removed(objective, from, progress);
        }
        if (order != 0) {
            add(objective, to, 1, progress);
        }
        if (order > 0) {
            removed(objective, from, progress);
        }
    }

    private static void add(UUID objective, UUID cycle, int objectives, BigDecimal progress) {
        TenantSql.current().write(ADD, cycle, slot(objective), objectives, progress);
    }

    private static long slot(UUID objective) {
        return objective.getLeastSignificantBits() & (SLOTS - 1);
    }

    /** Deletes the totals of a cycle without objectives, before the cycle itself is deleted. */
    static void deleteOf(UUID cycle) {
        TenantSql.current().write(DELETE, cycle);
    }

    /** Call this before writing objectives without the methods above. {@link #countAll} must follow. */
    public static void begin(Sql sql) throws SQLException {
        sql.update(WITHOUT_TRIGGERS);
    }

    /** Counts the objectives of a cycle that was created in this transaction. */
    public static void countAll(Sql sql, UUID organizationId, UUID cycle) throws SQLException {
        sql.update(COUNT, organizationId, cycle);
    }
}
