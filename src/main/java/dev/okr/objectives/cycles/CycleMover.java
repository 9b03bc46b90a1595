package dev.okr.objectives.cycles;

import dev.okr.events.EventType;
import dev.okr.events.Outbox;
import dev.okr.platform.http.EnumNames;
import dev.okr.platform.transactions.RetriedTransaction;
import dev.okr.platform.transactions.Sql;
import dev.okr.platform.transactions.SqlFailures;
import io.agroal.api.AgroalDataSource;
import io.quarkus.scheduler.Scheduled;
import jakarta.enterprise.context.ApplicationScoped;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.UUID;
import org.jboss.logging.Logger;

/** Changes the status of cycles when they start and end, for all organisations. */
@ApplicationScoped
public class CycleMover {
    private static final Logger LOG = Logger.getLogger(CycleMover.class);

    /** The largest number of cycles in one transaction. The next transaction follows at once. */
    private static final int MAX_BATCH_CYCLES = 100;

    // If two replicas find the same cycle, one locks its row and the other skips it. The time is the database's, which
    // all replicas share. With local clocks, a replica whose clock is slow would undo the change of another.
    private static final String MOVE = """
            /* all organizations */
            WITH due AS (
                SELECT organization_id, id, status FROM cycle
                WHERE status <> ? AND starts_at %s now() AND ends_at %s now()
                LIMIT ? FOR NO KEY UPDATE SKIP LOCKED),
            moved AS (
                UPDATE cycle c SET status = ?, updated_at = now() FROM due
                WHERE c.organization_id = due.organization_id AND c.id = due.id
                RETURNING c.*, due.status AS old_status)
            SELECT moved.*, o.objectives, o.progress FROM moved CROSS JOIN LATERAL (
                SELECT count(*) AS objectives, sum(progress) AS progress FROM objective
                WHERE organization_id = moved.organization_id AND cycle_id = moved.id) o
            """;
    private static final String TO_PLANNED = MOVE.formatted(">", ">");
    private static final String TO_ACTIVE = MOVE.formatted("<=", ">");
    private static final String TO_COMPLETED = MOVE.formatted("<=", "<=");

    private final AgroalDataSource database;
    private final Outbox outbox;

    CycleMover(AgroalDataSource database, Outbox outbox) {
        this.database = database;
        this.outbox = outbox;
    }

    @Scheduled(every = "{okr.cycles.move-every}", concurrentExecution = Scheduled.ConcurrentExecution.SKIP)
    void move() {
        try {
            move(TO_PLANNED, CycleStatus.PLANNED);
            move(TO_ACTIVE, CycleStatus.ACTIVE);
            move(TO_COMPLETED, CycleStatus.COMPLETED);
        } catch (RuntimeException e) {
            if (!SqlFailures.isUnavailable(e)) {
                throw e;
            }
            LOG.warnf("The status of cycles was not changed. The next run tries again: %s", SqlFailures.reason(e));
        }
    }

    private void move(String statement, CycleStatus status) {
        int moved;
        do {
            moved = moveBatch(statement, status);
            if (moved > 0) {
                LOG.infof("Changed the status of %d cycles to %s", moved, EnumNames.format(status));
            }
        } while (moved == MAX_BATCH_CYCLES);
    }

    /** Changes some cycles and records their events in one transaction. */
    @RetriedTransaction
    int moveBatch(String statement, CycleStatus status) {
        var name = EnumNames.format(status);
        try (var connection = database.getConnection()) {
            var moved = new Sql(connection).list(CycleMover::read, statement, name, MAX_BATCH_CYCLES, name);
            moved.forEach(move -> outbox.updated(
                    move.organizationId(), EventType.CYCLE_UPDATED, move.after().id(), move.before(), move.after()));
            return moved.size();
        } catch (SQLException e) {
            throw new IllegalStateException("The status of cycles could not be changed.", e);
        }
    }

    private record Move(UUID organizationId, CycleResponse before, CycleResponse after) {}

    private static Move read(ResultSet row) throws SQLException {
        return new Move(
                Sql.uuid(row, "organization_id"),
                CycleResponse.read(row, row.getString("old_status")),
                CycleResponse.read(row, row.getString("status")));
    }
}
