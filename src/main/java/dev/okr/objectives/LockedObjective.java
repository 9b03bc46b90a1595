package dev.okr.objectives;

import dev.okr.events.Outbox;
import dev.okr.objectives.cycles.ClosedCycle;
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
 * until the commit. So the stored progress is right at every commit. Concurrent check-ins do not lose progress, and two
 * writers of one objective cannot deadlock.
 *
 * <p>The totals are read when the lock is acquired, so use an instance for one change only. The totals are enough to
 * calculate the progress of an objective without contributing alignments. {@link RollUp} calculates it for all others.
 *
 * @param shown the objective before the change, as the API shows it
 * @param rollsUp whether the objective is the parent or the child of an alignment that counts
 * @param isClosed whether its cycle is closed, see {@link ClosedCycle}
 */
record LockedObjective(UUID id, ObjectiveResponse shown, boolean rollsUp, Totals totals, boolean isClosed) {
    /** The statement that takes the lock. {@code %s} is the objective's id: a parameter or a subquery. */
    static final String LOCK = "SELECT " + Objective.TABLE.columns("o")
            + ", o.rolls_up FROM objective o WHERE o.organization_id = :organization AND o.id = %s"
            + " FOR NO KEY UPDATE;\n";

    /**
     * Locks several objectives that do not roll up. The order is always the same, so that two transactions cannot wait
     * for each other.
     */
    static final String LOCK_ALL = "SELECT " + Objective.TABLE.columns("o")
            + " FROM objective o WHERE o.organization_id = :organization AND o.id IN %s AND NOT o.rolls_up"
            + " ORDER BY o.id FOR NO KEY UPDATE";

    // The second statement starts when the lock is held. With READ COMMITTED, each statement has its own snapshot, so
    // this one sees everything that others committed before.
    private static final String LOCK_AND_READ =
            LOCK.formatted("?") + """
            SELECT coalesce(sum(k.weight * k.progress), 0) AS progress_sum, coalesce(sum(k.weight), 0) AS weight_sum,
                count(*) AS key_results, %s AS closed
            FROM key_result k WHERE k.organization_id = :organization AND k.objective_id = ?
            """.formatted(ClosedCycle.IS_CLOSED.formatted("?"));

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
     * Calculates the objective's progress. If it differs from the stored one, {@code updated_at} changes too, and there
     * is an event. The difference is added to the totals of the cycle.
     *
     * @param after the totals after the change
     */
    void rollUp(Totals after, Instant now, Outbox outbox) {
        rollUpAll(Map.of(this, after), now, outbox);
    }

    /**
     * Like {@link #rollUp}, for several objectives.
     *
     * @param after the totals after the change
     */
    static void rollUpAll(Map<LockedObjective, Totals> after, Instant now, Outbox outbox) {
        var rollUp = new RollUp(now, outbox);
        var rollingUp = new ArrayList<UUID>();
        after.forEach((objective, totals) -> {
            if (objective.rollsUp) {
                rollingUp.add(objective.id);
            } else {
                rollUp.set(objective.shown, totals.mean());
            }
        });
        rollUp.from(rollingUp);
        rollUp.write();
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
                        .firstOfBoth(Locked::read, Inside::read, LockedObjective::of, LOCK_AND_READ, id, id, id))
                .orElseThrow(Objective::notFound);
    }

    /** The row that {@link #LOCK} returns. */
    record Locked(ObjectiveResponse shown, boolean rollsUp) {
        static Locked read(ResultSet row) throws SQLException {
            return new Locked(ObjectiveResponse.read(row), row.getBoolean("rolls_up"));
        }
    }

    /** The values that a statement reads after the lock. {@code isClosed} is the column {@code closed}. */
    record Inside(Totals totals, boolean isClosed) {
        static Inside read(ResultSet row) throws SQLException {
            return new Inside(Totals.read(row), row.getBoolean("closed"));
        }
    }

    /**
     * The totals of the key results, as a statement returns them in columns of these names.
     *
     * @param progressSum the sum of weight × progress
     */
    record Totals(BigDecimal progressSum, BigDecimal weightSum, long keyResults) {
        static Totals read(ResultSet row) throws SQLException {
            return new Totals(
                    row.getBigDecimal("progress_sum"), row.getBigDecimal("weight_sum"), row.getLong("key_results"));
        }

        Totals with(KeyResultResponse added) {
            return new Totals(
                    progressSum.add(added.weight().multiply(added.progress())),
                    weightSum.add(added.weight()),
                    keyResults + 1);
        }

        Totals without(KeyResultResponse removed) {
            return new Totals(
                    progressSum.subtract(removed.weight().multiply(removed.progress())),
                    weightSum.subtract(removed.weight()),
                    keyResults - 1);
        }

        BigDecimal mean() {
            return Progress.mean(progressSum, weightSum);
        }
    }

    static LockedObjective of(Locked locked, Inside inside) {
        return new LockedObjective(
                IdKind.OBJECTIVE.require(locked.shown.id()),
                locked.shown,
                locked.rollsUp,
                inside.totals,
                inside.isClosed);
    }
}
