package dev.okr.objectives;

import dev.okr.events.EventType;
import dev.okr.events.Outbox;
import dev.okr.objectives.cycles.ClosedCycle;
import dev.okr.objectives.cycles.CycleTotals;
import dev.okr.objectives.progress.Progress;
import dev.okr.organizations.tenant.TenantSql;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.ids.IdKind;
import java.math.BigDecimal;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Map;
import java.util.UUID;

/**
 * An objective that is locked to change its key results or their check-ins, with the totals from which its progress is
 * computed. Changes of its own fields use the entity {@link Objective}. Both hold the lock on the objective's row.
 *
 * <p>This lock protects the whole aggregate. Every change of an objective, its key results or their check-ins holds it
 * until the commit. So the stored progress is the mean of the key results at every commit. Concurrent check-ins do not
 * lose progress, and two writers of one objective cannot deadlock.
 *
 * <p>The totals are read when the lock is acquired. Use an instance for one change only.
 *
 * @param shown the objective before the change, as the API shows it
 * @param progressSum the sum of the progress of all key results
 * @param keyResultCount the number of key results
 * @param isClosed whether its cycle is closed, see {@link ClosedCycle}
 */
record LockedObjective(
        UUID id, ObjectiveResponse shown, BigDecimal progressSum, long keyResultCount, boolean isClosed) {
    /** The statement that takes the lock. {@code %s} is the objective's id: a parameter or a subquery. */
    static final String LOCK = "SELECT " + Objective.TABLE.columns("o")
            + " FROM objective o WHERE o.organization_id = :organization AND o.id = %s FOR NO KEY UPDATE;\n";

    /** Locks several objectives, always in the same order, so that two transactions cannot wait for each other. */
    static final String LOCK_ALL = "SELECT " + Objective.TABLE.columns("o")
            + " FROM objective o WHERE o.organization_id = :organization AND o.id IN %s ORDER BY o.id FOR NO KEY UPDATE";

    // The second statement starts when the lock is held. With READ COMMITTED, each statement has its own snapshot, so
    // this one sees everything that others committed before.
    private static final String LOCK_AND_READ =
            LOCK.formatted("?") + """
            SELECT coalesce(sum(k.progress), 0) AS progress_sum, count(*) AS key_results, %s AS closed
            FROM key_result k WHERE k.organization_id = :organization AND k.objective_id = ?
            """.formatted(ClosedCycle.IS_CLOSED.formatted("?"));

    private static final String UPDATE_PROGRESS =
            "UPDATE objective SET progress = ?, updated_at = ? WHERE organization_id = :organization AND id = ?";

    private static final String UPDATE_PROGRESSES = """
            UPDATE objective o SET progress = v.progress, updated_at = ?
            FROM unnest(?::uuid[], ?::numeric[]) AS v (id, progress)
            WHERE o.organization_id = :organization AND o.id = v.id
            """;

    /**
     * Every verb that changes something in the objective calls this first.
     *
     * @throws Failure if the cycle is closed
     */
    void requireOpen() {
        if (isClosed) {
            throw ClosedCycle.failure(shown.cycleId());
        }
    }

    /**
     * Sets the objective's progress to the mean of its key results. If it differs, {@code updated_at} changes too, and
     * there is an event. The difference is added to the totals of the cycle.
     *
     * @param sum the sum of the progress of all key results after the change
     * @param count the number of key results after the change
     */
    void rollUp(BigDecimal sum, long count, Instant now, Outbox outbox) {
        var mean = Progress.mean(sum, count);
        if (mean.compareTo(shown.progress()) == 0) {
            return;
        }
        var cycle = IdKind.CYCLE.parse(shown.cycleId()).orElseThrow();
        CycleTotals.progressed(id, cycle, mean.subtract(shown.progress()));
        TenantSql.current().write(UPDATE_PROGRESS, mean, now, id);
        outbox.updated(EventType.OBJECTIVE_UPDATED, shown.id(), shown, shown.withProgress(mean, now));
    }

    /**
     * Like {@link #rollUp}, for several objectives that have as many key results as before. It writes all totals of
     * cycles before the objectives, in a fixed order, so that two transactions cannot deadlock.
     *
     * @param sums the sum of the progress of all key results after the change
     */
    static void rollUpAll(Map<LockedObjective, BigDecimal> sums, Instant now, Outbox outbox) {
        var progressed = new ArrayList<CycleTotals.Progressed>();
        var ids = new ArrayList<UUID>();
        var means = new ArrayList<BigDecimal>();
        sums.forEach((objective, sum) -> {
            var shown = objective.shown;
            var mean = Progress.mean(sum, objective.keyResultCount);
            if (mean.compareTo(shown.progress()) != 0) {
                progressed.add(new CycleTotals.Progressed(
                        objective.id, IdKind.CYCLE.require(shown.cycleId()), mean.subtract(shown.progress())));
                ids.add(objective.id);
                means.add(mean);
                outbox.updated(EventType.OBJECTIVE_UPDATED, shown.id(), shown, shown.withProgress(mean, now));
            }
        });
        if (!ids.isEmpty()) {
            CycleTotals.progressed(progressed);
            TenantSql.current().write(UPDATE_PROGRESSES, now, ids, means);
        }
    }

    /**
     * Locks an objective to change something in it.
     *
     * @throws Failure if the organisation has no such objective
     */
    static LockedObjective require(String publicId) {
        return IdKind.OBJECTIVE
                .parse(publicId)
                .flatMap(id -> TenantSql.current()
                        .firstOfBoth(
                                Objective.TABLE.reader(), Totals::read, LockedObjective::of, LOCK_AND_READ, id, id, id))
                .orElseThrow(Objective::notFound);
    }

    /**
     * The totals as a statement returns them in the columns {@code progress_sum}, {@code key_results} and {@code
     * closed}.
     */
    record Totals(BigDecimal progressSum, long keyResultCount, boolean isClosed) {
        static Totals read(ResultSet row) throws SQLException {
            return new Totals(row.getBigDecimal("progress_sum"), row.getLong("key_results"), row.getBoolean("closed"));
        }
    }

    static LockedObjective of(ObjectiveResponse shown, Totals totals) {
        return new LockedObjective(
                IdKind.OBJECTIVE.require(shown.id()),
                shown,
                totals.progressSum(),
                totals.keyResultCount(),
                totals.isClosed());
    }
}
