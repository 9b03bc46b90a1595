package dev.okr.objectives.cycles;

import dev.okr.events.EventType;
import dev.okr.events.Outbox;
import dev.okr.platform.http.EnumNames;
import dev.okr.platform.transactions.OrganizationSearch;
import dev.okr.platform.transactions.RetriedTransaction;
import dev.okr.platform.transactions.Sql;
import dev.okr.platform.transactions.SqlFailures;
import io.agroal.api.AgroalDataSource;
import io.quarkus.scheduler.Scheduled;
import jakarta.enterprise.context.ApplicationScoped;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;
import java.util.UUID;
import org.jboss.logging.Logger;

/** Changes the status of cycles when they start and end, for all organisations. */
@ApplicationScoped
public class CycleMover {
    private static final Logger LOG = Logger.getLogger(CycleMover.class);

    /** The maximum number of organisations in a page, and of cycles that one transaction changes. */
    private static final int MAX_BATCH = 100;

    // The time is the database's, which all replicas share. With local clocks, a replica whose clock is slow would undo
    // the change of another.
    private static final String DUE = "closed_at IS NULL AND status <> ? AND starts_at %s now() AND ends_at %s now()";
    private static final String TO_PLANNED = DUE.formatted(">", ">");
    private static final String TO_ACTIVE = DUE.formatted("<=", ">");
    private static final String TO_COMPLETED = DUE.formatted("<=", "<=");

    private static final String FIND = """
            /* all organizations */
            SELECT DISTINCT organization_id FROM cycle
            WHERE %s organization_id > ? AND %s ORDER BY organization_id LIMIT ?
            """;

    // If two replicas find the same cycle, one locks its row and the other skips it.
    private static final String MOVE = """
            WITH due AS (
                SELECT id, status, greatest(now(), updated_at + interval '1 microsecond') AS moved_at
                FROM cycle WHERE organization_id = ? AND %s
                LIMIT ? FOR NO KEY UPDATE SKIP LOCKED),
            moved AS (
                UPDATE cycle c SET status = ?, updated_at = due.moved_at FROM due
                WHERE c.organization_id = ? AND c.id = due.id
                RETURNING c.*, due.status AS old_status)
            SELECT moved.*, o.objectives, o.progress FROM moved CROSS JOIN LATERAL (
                SELECT count(*) AS objectives, sum(progress) AS progress FROM objective
                WHERE organization_id = ? AND cycle_id = moved.id) o
            """;

    private final AgroalDataSource database;
    private final OrganizationSearch search;
    private final Outbox outbox;

    CycleMover(AgroalDataSource database, OrganizationSearch search, Outbox outbox) {
        this.database = database;
        this.search = search;
        this.outbox = outbox;
    }

    @Scheduled(every = "{okr.cycles.move-every}", concurrentExecution = Scheduled.ConcurrentExecution.SKIP)
    void move() {
        try {
            move(TO_PLANNED, CycleStatus.PLANNED);
            move(TO_ACTIVE, CycleStatus.ACTIVE);
            move(TO_COMPLETED, CycleStatus.COMPLETED);
        } catch (SQLException e) {
            LOG.warnf("The status of cycles was not changed. The next run tries again: %s", SqlFailures.reason(e));
        }
    }

    private void move(String due, CycleStatus status) throws SQLException {
        int moved = 0;
        var next = Optional.of(OrganizationSearch.FIRST);
        while (next.isPresent()) {
            var last = next.get();
            var page = search.page(
                    (sql, condition) -> sql.list(
                            row -> Sql.uuid(row, "organization_id"),
                            FIND.formatted(condition, due),
                            last,
                            EnumNames.format(status),
                            MAX_BATCH),
                    MAX_BATCH,
                    Optional::of);
            for (var organizationId : page.rows()) {
                moved += search.visit(organizationId, () -> moveOf(organizationId, due, status))
                        .orElse(0);
            }
            next = page.last();
        }
        if (moved > 0) {
            LOG.infof("Changed the status of %d cycles to %s", moved, EnumNames.format(status));
        }
    }

    /** Changes cycles of one organisation and records their events in one transaction. Returns their number. */
    @RetriedTransaction
    int moveOf(UUID organizationId, String due, CycleStatus status) {
        var name = EnumNames.format(status);
        try (var connection = database.getConnection()) {
            var moved = new Sql(connection)
                    .list(
                            CycleMover::read,
                            MOVE.formatted(due),
                            organizationId,
                            name,
                            MAX_BATCH,
                            name,
                            organizationId,
                            organizationId);
            moved.forEach(move -> outbox.updated(
                    organizationId, EventType.CYCLE_UPDATED, move.after().id(), move.before(), move.after()));
            return moved.size();
        } catch (SQLException e) {
            throw new IllegalStateException("The status of cycles could not be changed.", e);
        }
    }

    private record Move(CycleResponse before, CycleResponse after) {}

    private static Move read(ResultSet row) throws SQLException {
        return new Move(
                CycleResponse.read(row, row.getString("old_status")), CycleResponse.read(row, row.getString("status")));
    }
}
