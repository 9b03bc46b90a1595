package dev.okr.cycles;

import dev.okr.http.Constants;
import dev.okr.time.UtcClock;
import io.agroal.api.AgroalDataSource;
import io.quarkus.scheduler.Scheduled;
import jakarta.enterprise.context.ApplicationScoped;
import java.sql.SQLException;
import java.time.Instant;
import java.time.ZoneOffset;
import org.jboss.logging.Logger;

/** Moves the cycles of all organisations along with time. */
@ApplicationScoped
public class CycleMover {
    private static final Logger LOG = Logger.getLogger(CycleMover.class);

    // A conditional update: of two replicas that see the same cycle due, the row lock lets one change it, and the
    // other then finds the condition no longer true. The moment is this replica's, not the database's, as in every
    // other rule of time.
    private static final String MOVE = """
            UPDATE cycle SET status = ?, updated_at = ?
            WHERE status <> ? AND starts_at %s ? AND ends_at %s ?
            """;
    private static final String TO_PLANNED = MOVE.formatted(">", ">");
    private static final String TO_ACTIVE = MOVE.formatted("<=", ">");
    private static final String TO_COMPLETED = MOVE.formatted("<=", "<=");

    private final AgroalDataSource database;
    private final UtcClock clock;

    CycleMover(AgroalDataSource database, UtcClock clock) {
        this.database = database;
        this.clock = clock;
    }

    @Scheduled(every = "{okr.cycles.move-every}", concurrentExecution = Scheduled.ConcurrentExecution.SKIP)
    void move() {
        try {
            var now = clock.now();
            int moved = move(TO_PLANNED, CycleStatus.PLANNED, now)
                    + move(TO_ACTIVE, CycleStatus.ACTIVE, now)
                    + move(TO_COMPLETED, CycleStatus.COMPLETED, now);
            if (moved > 0) {
                LOG.infof("moved %d cycles along with time", moved);
            }
        } catch (SQLException e) {
            LOG.warnf("cycles were not moved, the next run tries again: %s", e.toString());
        }
    }

    private int move(String statement, CycleStatus status, Instant now) throws SQLException {
        var moment = now.atOffset(ZoneOffset.UTC);
        try (var connection = database.getConnection();
                var update = connection.prepareStatement(statement)) {
            var name = Constants.format(status);
            update.setString(1, name);
            update.setObject(2, moment);
            update.setString(3, name);
            update.setObject(4, moment);
            update.setObject(5, moment);
            return update.executeUpdate();
        }
    }
}
