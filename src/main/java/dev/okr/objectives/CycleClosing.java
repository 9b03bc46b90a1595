package dev.okr.objectives;

import dev.okr.events.Outbox;
import dev.okr.objectives.cycles.Cycle;
import dev.okr.objectives.cycles.CycleResponse;
import dev.okr.organizations.tenant.TenantSql;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * Closes and reopens cycles. Progress does not roll up to the objectives of a closed cycle. So both operations hold the
 * {@link ContributionLock}. {@link RollUp} reads under the same lock which cycles are closed.
 */
final class CycleClosing {
    private static final int MAX_OBJECTIVES_PER_PAGE = 1_000;

    private static final String ROLLING_UP = """
            SELECT o.id, o.progress FROM objective o
            WHERE o.organization_id = :organization AND o.cycle_id = ? AND o.rolls_up AND o.id > ?
            ORDER BY o.id LIMIT ?
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

    private static void rollUp(UUID cycle, Instant now, Outbox outbox) {
        var rollUp = new RollUp(now, outbox);
        rollUp.from(wrong(cycle));
        rollUp.write();
    }

    /**
     * Returns the objectives whose progress has to change. Includes objectives whose last contributing child was
     * deleted while the cycle was closed.
     */
    private static List<UUID> wrong(UUID cycle) {
        var wrong = new ArrayList<UUID>();
        var last = new UUID(0, 0);
        List<RollUp.Stored> page;
        do {
            page = TenantSql.current()
                    .listPlanned(RollUp.Stored::read, ROLLING_UP, cycle, last, MAX_OBJECTIVES_PER_PAGE);
            Contributions.end(page.stream().map(RollUp.Stored::id).toList());
            wrong.addAll(RollUp.wrong(page));
            last = page.isEmpty() ? last : page.getLast().id();
        } while (page.size() == MAX_OBJECTIVES_PER_PAGE);
        return wrong;
    }
}
