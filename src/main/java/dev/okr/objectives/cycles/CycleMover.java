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
import java.util.LinkedHashSet;
import java.util.UUID;
import org.jboss.logging.Logger;

/** Changes the status of cycles when they start and end, for all organisations. */
@ApplicationScoped
public class CycleMover {
    private static final Logger LOG = Logger.getLogger(CycleMover.class);

    /** The largest number of cycles to find at once. The next search follows when all of them are changed. */
    private static final int MAX_BATCH_CYCLES = 100;

    // The time is the database's, which all replicas share. With local clocks, a replica whose clock is slow would undo
    // the change of another.
    private static final String DUE = "status <> ? AND starts_at %s now() AND ends_at %s now() LIMIT ?";
    private static final String TO_PLANNED = DUE.formatted(">", ">");
    private static final String TO_ACTIVE = DUE.formatted("<=", ">");
    private static final String TO_COMPLETED = DUE.formatted("<=", "<=");

    private static final String FIND = "/* all organizations */ SELECT organization_id FROM cycle WHERE %s ";

    // If two replicas find the same cycle, one locks its row and the other skips it.
    private static final String MOVE = """
            WITH due AS (
                SELECT id, status FROM cycle WHERE organization_id = ? AND %s FOR NO KEY UPDATE SKIP LOCKED),
            moved AS (
                UPDATE cycle c SET status = ?, updated_at = now() FROM due
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
            LOG.warnf("The cycles to change were not found. The next run tries again: %s", SqlFailures.reason(e));
        }
    }

    private void move(String due, CycleStatus status) throws SQLException {
        int moved;
        do {
            moved = 0;
            var found = search.run((sql, condition) -> sql.list(
                    row -> Sql.uuid(row, "organization_id"),
                    FIND.formatted(condition) + due,
                    EnumNames.format(status),
                    MAX_BATCH_CYCLES));
            for (var organizationId : new LinkedHashSet<>(found)) {
                moved += tryMove(organizationId, due, status);
            }
            if (moved > 0) {
                LOG.infof("Changed the status of %d cycles to %s", moved, EnumNames.format(status));
            }
        } while (moved >= MAX_BATCH_CYCLES);
    }

    /** A failure for one organisation does not keep the others waiting. */
    private int tryMove(UUID organizationId, String due, CycleStatus status) {
        try {
            return moveOf(organizationId, due, status);
        } catch (RuntimeException e) {
            if (!SqlFailures.isUnavailable(e)) {
                throw e;
            }
            LOG.warnf("The status of cycles was not changed. The next run tries again: %s", SqlFailures.reason(e));
            return 0;
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
                            MAX_BATCH_CYCLES,
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
