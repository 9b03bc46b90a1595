package dev.okr.events;

import dev.okr.organizations.tenant.TenantSql;
import dev.okr.platform.time.UtcClock;
import dev.okr.platform.transactions.RetriedTransaction;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/**
 * Gives committed events their places in the list that is read oldest first. A place never changes.
 *
 * <p>An event gets its place only after its commit, under a lock on the organisation, and the places increase. So a
 * reader who sees a place also sees all smaller ones. A transaction that commits late gets a larger place, and no reader
 * has passed it. Neither ids nor transaction ids give this order. A transaction may get either one before another
 * transaction that commits earlier. Transaction ids also start again after a restore from a dump, and differ on each
 * server of a distributed schema. A number from a counter at each commit would serialise all changes of an organisation.
 *
 * <p>Two changes of one resource keep their order. The second one waits for the lock on the resource, so the database
 * writes its event after the first one has committed.
 *
 * <p>A place starts with the time in microseconds. So places keep increasing after old events were deleted, and after
 * the database was restored to an earlier state.
 *
 * <p>Requests for the list call this. So organisations that never read it have no cost, and the previous version needs
 * to know nothing about it.
 */
@ApplicationScoped
class EventOrder {
    private static final int MAX_EVENTS = 1_000;

    private static final String HAS_UNORDERED = """
            SELECT 1 FROM event WHERE organization_id = :organization AND position IS NULL
            ORDER BY written_at NULLS FIRST, id LIMIT 1
            """;

    // The events of earlier versions have no time of writing, and come first.
    // With old statistics, the planner would compute the places again for each event of the organisation. MATERIALIZED
    // computes them once, and the array limits the events to these.
    private static final String EXTEND = """
            WITH n AS MATERIALIZED (
                SELECT u.id, row_number() OVER (ORDER BY u.written_at NULLS FIRST, u.id)
                    + greatest(?, (SELECT max(m.position) FROM event m
                        WHERE m.organization_id = :organization AND m.position IS NOT NULL)) AS position
                FROM (
                    SELECT i.id, i.written_at FROM event i
                    WHERE i.organization_id = :organization AND i.position IS NULL
                    ORDER BY i.written_at NULLS FIRST, i.id LIMIT %d) u)
            UPDATE event e SET position = n.position FROM n
            WHERE e.organization_id = :organization AND e.id = n.id AND e.id = ANY (ARRAY (SELECT id FROM n))
            """.formatted(MAX_EVENTS);

    private final UtcClock clock;

    EventOrder(UtcClock clock) {
        this.clock = clock;
    }

    /** Gives a place to the next events. Returns false if all committed events have one. */
    @RetriedTransaction
    boolean extend() {
        var sql = TenantSql.current();
        if (sql.first(row -> true, HAS_UNORDERED).isEmpty()) {
            return false;
        }
        sql.lockOrganization();
        sql.write(EXTEND, ChronoUnit.MICROS.between(Instant.EPOCH, clock.now()));
        return true;
    }
}
