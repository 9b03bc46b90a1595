package dev.okr.objectives;

import dev.okr.events.Outbox;
import dev.okr.objectives.cycles.Cycle;
import dev.okr.objectives.cycles.CycleResponse;
import dev.okr.organizations.tenant.TenantSql;
import dev.okr.platform.transactions.Sql;
import java.time.Instant;
import java.util.UUID;

/**
 * Closes and reopens cycles. Progress does not roll up to the objectives of a closed cycle. So both hold the
 * {@link ContributionLock}, under which {@link RollUp} reads which cycles are closed.
 */
final class CycleClosing {
    // At most as many as a cycle may have objectives.
    private static final String ROLLING_UP = """
            SELECT o.id FROM objective o WHERE o.organization_id = :organization AND o.cycle_id = ? AND o.rolls_up
            """;

    private CycleClosing() {}

    static CycleResponse close(String publicId, Instant now, Outbox outbox) {
        return lock(publicId).close(now, outbox);
    }

    /** Progress rolls up again. The objectives take the progress that their children have now. */
    static CycleResponse reopen(String publicId, Instant now, Outbox outbox) {
        var cycle = lock(publicId);
        cycle.reopen(now, outbox);
        rollUp(cycle.id(), now, outbox);
        // With the progress that it has now.
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
