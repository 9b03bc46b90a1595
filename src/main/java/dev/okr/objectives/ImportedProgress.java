package dev.okr.objectives;

import dev.okr.objectives.cycles.ClosedCycle;
import dev.okr.objectives.cycles.CycleTotals;
import dev.okr.objectives.moving.ImportSession;
import dev.okr.objectives.moving.LineType;
import dev.okr.objectives.moving.Staging.Changed;
import dev.okr.objectives.progress.Progress;
import dev.okr.organizations.tenant.TenantSql;
import dev.okr.platform.ids.IdKind;
import dev.okr.platform.time.Timestamps;
import dev.okr.platform.transactions.Sql;
import java.math.BigDecimal;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/**
 * Calculates the progress of all objectives that an import may have changed, and of those to which they contribute.
 * Unlike {@link RollUp}, it keeps only one batch of objectives in memory, and calculates each objective once. The session
 * holds the {@link ContributionLock} exclusively.
 */
public final class ImportedProgress {
    private static final String LOCK = """
            SELECT %s, o.rolls_up FROM objective o WHERE o.organization_id = :organization AND o.id = ANY (?) AND %s
            ORDER BY o.id FOR NO KEY UPDATE
            """.formatted(Objective.TABLE.columns("o"), ClosedCycle.IS_OPEN);
    private static final String ROLLING_UP = """
            SELECT o.id FROM objective o WHERE o.organization_id = :organization AND o.id = ANY (?) AND o.rolls_up
            """;
    private static final String UPDATE = """
            UPDATE objective o SET progress = v.progress, updated_at = v.updated_at
            FROM unnest(?::uuid[], ?::numeric[], ?::timestamptz[]) AS v (id, progress, updated_at)
            WHERE o.organization_id = ? AND o.id = v.id
            """;

    private final ImportSession session;
    private final CycleTotals.Sums totals;

    private record Row(UUID id, ObjectiveResponse shown, boolean rollsUp) {
        static Row read(ResultSet row) throws SQLException {
            return new Row(Sql.uuid(row, "id"), ObjectiveResponse.read(row), row.getBoolean("rolls_up"));
        }
    }

    private ImportedProgress(ImportSession session, CycleTotals.Sums totals) {
        this.session = session;
        this.totals = totals;
    }

    public static void apply(ImportSession session, CycleTotals.Sums totals) throws SQLException {
        var progress = new ImportedProgress(session, totals);
        session.staging().eachProgress(ids -> progress.calculate(ids, false));
        var groups = new Ancestors.Groups<SQLException>(
                (objectives, ancestors) -> session.staging().addLevels(ancestors.levels(objectives)));
        session.staging().eachProgress(ids -> groups.add(progress.rollingUp(ids)));
        groups.finish();
        session.staging().eachLevel(ids -> progress.calculate(ids, true));
    }

    private List<UUID> rollingUp(List<UUID> ids) {
        return TenantSql.current().listPlanned(row -> Sql.uuid(row, "id"), ROLLING_UP, ids);
    }

    /** @param all also those that roll up; their children already have their progress */
    private void calculate(List<UUID> ids, boolean all) throws SQLException {
        var isFinal = Set.copyOf(session.staging().finalProgress(ids));
        var rows = new ArrayList<Row>();
        for (var row : TenantSql.current().listPlanned(Row::read, LOCK, ids)) {
            if (!isFinal.contains(row.id) && (all || !row.rollsUp)) {
                rows.add(row);
            }
        }
        if (!rows.isEmpty()) {
            // A new statement sees the commits of the previous holders of the locks.
            write(rows);
        }
    }

    private void write(List<Row> rows) throws SQLException {
        var means = new HashMap<UUID, BigDecimal>();
        RollUp.sums(rows.stream().map(Row::id).toList()).forEach(each -> means.put(each.id(), each.mean()));
        var changed = rows.stream()
                .filter(row -> mean(row, means).compareTo(row.shown.progress()) != 0)
                .toList();
        if (changed.isEmpty()) {
            return;
        }
        var ids = changed.stream().map(Row::id).toList();
        var ofLines = Set.copyOf(session.staging().changed(LineType.OBJECTIVE, ids));
        var values = new ArrayList<BigDecimal>();
        var times = new ArrayList<Instant>();
        var changes = new ArrayList<Changed>();
        for (var row : changed) {
            var mean = mean(row, means);
            values.add(mean);
            // An objective of the file keeps the time of its line.
            times.add(
                    ofLines.contains(row.id)
                            ? row.shown.updatedAt()
                            : Timestamps.later(session.now(), row.shown.updatedAt()));
            changes.add(new Changed(row.id, 0, session.events().text(row.shown)));
            totals.add(CycleTotals.Change.progressed(
                    row.id, IdKind.CYCLE.require(row.shown.cycleId()), mean.subtract(row.shown.progress())));
        }
        session.staging().addChanges(LineType.OBJECTIVE, changes);
        session.sql().update(UPDATE, ids, values, times, session.organization());
    }

    private static BigDecimal mean(Row row, Map<UUID, BigDecimal> means) {
        return means.getOrDefault(row.id, Progress.NONE);
    }
}
