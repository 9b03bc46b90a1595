package dev.okr.objectives.cycles;

import dev.okr.events.EventType;
import dev.okr.events.Outbox;
import dev.okr.objectives.progress.Progress;
import dev.okr.platform.http.EnumNames;
import dev.okr.platform.ids.IdKind;
import dev.okr.platform.transactions.RetriedTransaction;
import dev.okr.platform.transactions.Sql;
import dev.okr.platform.transactions.SqlFailures;
import io.agroal.api.AgroalDataSource;
import io.quarkus.scheduler.Scheduled;
import jakarta.enterprise.context.ApplicationScoped;
import java.math.BigDecimal;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Objects;
import java.util.UUID;
import org.jboss.logging.Logger;

/** Moves the cycles of all organisations along with time. */
@ApplicationScoped
public class CycleMover {
    private static final Logger LOG = Logger.getLogger(CycleMover.class);

    /** Moved in one transaction; there is a next one at once. */
    private static final int MAX_BATCH_CYCLES = 100;

    // A conditional update: of two replicas that see the same cycle due, the row lock lets one change it, and the
    // other passes over it. The moment is the database's, the one clock that all replicas have: with their own, one
    // that is behind would take back what another has done.
    private static final String MOVE = """
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
            LOG.warnf("cycles were not moved, the next run tries again: %s", SqlFailures.reason(e));
        }
    }

    private void move(String statement, CycleStatus status) {
        int moved;
        do {
            moved = moveBatch(statement, status);
            if (moved > 0) {
                LOG.infof("moved %d cycles along with time: %s", moved, EnumNames.format(status));
            }
        } while (moved == MAX_BATCH_CYCLES);
    }

    /** Moves some cycles together with the events that tell of it. */
    @RetriedTransaction
    int moveBatch(String statement, CycleStatus status) {
        var name = EnumNames.format(status);
        try (var connection = database.getConnection()) {
            var moved = new Sql(connection).list(CycleMover::read, statement, name, MAX_BATCH_CYCLES, name);
            moved.forEach(move -> outbox.updated(
                    move.organizationId(), EventType.CYCLE_UPDATED, move.after().id(), move.before(), move.after()));
            return moved.size();
        } catch (SQLException e) {
            throw new IllegalStateException("cycles were not moved", e);
        }
    }

    private record Move(UUID organizationId, CycleResponse before, CycleResponse after) {}

    private static Move read(ResultSet row) throws SQLException {
        return new Move(
                row.getObject("organization_id", UUID.class),
                cycle(row, row.getString("old_status")),
                cycle(row, row.getString("status")));
    }

    private static CycleResponse cycle(ResultSet row, String status) throws SQLException {
        long objectives = row.getLong("objectives");
        var progress = Objects.requireNonNullElse(row.getBigDecimal("progress"), BigDecimal.ZERO);
        return new CycleResponse(
                IdKind.CYCLE.format(row.getObject("id", UUID.class)),
                row.getString("name"),
                Sql.instant(row, "starts_at"),
                Sql.instant(row, "ends_at"),
                EnumNames.parse(CycleStatus.class, status).orElseThrow(),
                objectives,
                Progress.mean(progress, objectives),
                Sql.instant(row, "created_at"),
                Sql.instant(row, "updated_at"));
    }
}
