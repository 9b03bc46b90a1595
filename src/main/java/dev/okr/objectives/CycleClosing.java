package dev.okr.objectives;

import dev.okr.events.Outbox;
import dev.okr.objectives.cycles.Cycle;
import dev.okr.objectives.cycles.CycleResponse;
import dev.okr.organizations.tenant.TenantSql;
import dev.okr.platform.transactions.Sql;
import java.time.Instant;
import java.util.UUID;

/**
 * Closes and reopens cycles. Progress does not roll up to the objectives of a closed cycle. So both operations hold the
 * {@link ContributionLock}. {@link RollUp} reads under the same lock which cycles are closed.
 */
final class CycleClosing {
    // Bounded by the limit of objectives in a cycle.
    private static final String ROLLING_UP = """
            SELECT o.id FROM objective o WHERE o.organization_id = :organization AND o.cycle_id = ? AND o.rolls_up
            """;

    private CycleClosing() {}

    static CycleResponse close(String publicId, Instant now, Outbox outbox) {
        return lock(publicId).close(now, outbox);
    }

    /** Reopens a cycle. Its objectives then take the current progress of their children. */
    static CycleResponse reopen(String publicId, Instant now, Outbox outbox) {
        var cycle = lock(publicId);
        cycle.reopen(now, outbox);
        rollUp(cycle.id(), now, outbox);
        // Reads the progress after the roll-up.
        return Cycle.require(publicId);
    }

    /** Takes the locks in the order of {@link RollUp}, and then the lock on the cycle. */
    private static Cycle lock(String publicId) {
        TenantSql.current().lockOrganization();
        ContributionLock.lock();
        return Cycle.requireLocked(publicId);
    }

    /** Includes objectives whose last contributing child was deleted while the cycle was closed. */
    private static void rollUp(UUID cycle, Instant now, Outbox outbox) {
        var objectives = TenantSql.current().listPlanned(row -> Sql.uuid(row, "id"), ROLLING_UP, cycle);
        Contributions.end(objectives);
        var rollUp = new RollUp(now, outbox);
        rollUp.from(objectives);
        rollUp.write();
    }
}
