package dev.okr.events;

import dev.okr.organizations.tenant.TenantSql;
import dev.okr.platform.time.UtcClock;
import dev.okr.platform.transactions.RetriedTransaction;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/**
 * Assigns positions to committed events, for the list that is read oldest first. A position never changes.
 *
 * <p>An event gets its position only after its commit. The assignment holds an advisory lock of the organisation.
 * Positions increase, so a reader who sees a position also sees all smaller ones. If a transaction commits late, its
 * events get larger positions, so no reader misses them. Neither ids nor transaction ids give this order. A transaction
 * can get its ids before another one and commit after it. Transaction ids also start again after a restore from a dump,
 * and differ on each server of a distributed schema. A counter that changes at each commit would serialise all changes
 * of an organisation.
 *
 * <p>Two changes of one resource keep their order. The second one waits for the lock on the resource, so the database
 * writes its event after the first one has committed.
 *
 * <p>A new position is larger than the current time in microseconds. So positions keep increasing after old events were
 * deleted, and after the database was restored to an earlier state.
 *
 * <p>Only requests for the list assign positions. So organisations that never read it have no cost, and the previous
 * version needs to know nothing about positions.
 */
@ApplicationScoped
class EventOrder {
    private static final int MAX_EVENTS = 1_000;

    // This is not the lock on the row of the organisation, because an import holds that for minutes.
    private static final String LOCK =
            "SELECT pg_advisory_xact_lock(hashtextextended('okr.event-order ' || :organization::text, 0))";

    private static final String HAS_UNORDERED = """
            SELECT 1 FROM event WHERE organization_id = :organization AND position IS NULL
            ORDER BY written_at NULLS FIRST, id LIMIT 1
            """;

    // The events of earlier versions have no time of writing, and come first. With old statistics, the planner would
    // compute the positions again for each event of the organisation. MATERIALIZED computes them once, and the array
    // limits the update to these events.
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

    /** Assigns positions to the next events. Returns false if all committed events have one. */
    @RetriedTransaction
    boolean extend() {
        var sql = TenantSql.current();
        if (sql.first(row -> true, HAS_UNORDERED).isEmpty()) {
            return false;
        }
        sql.first(row -> true, LOCK);
        sql.write(EXTEND, ChronoUnit.MICROS.between(Instant.EPOCH, clock.now()));
        return true;
    }
}
