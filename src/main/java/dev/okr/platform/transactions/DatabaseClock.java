package dev.okr.platform.transactions;

import dev.okr.platform.time.UtcClock;
import jakarta.enterprise.context.ApplicationScoped;
import java.sql.SQLException;
import java.time.Instant;
import javax.sql.DataSource;

/**
 * The clock of the database, which all replicas share. Leases and due times use it. So does everything that deletes old
 * rows, because a replica whose clock is ahead would otherwise delete them too early.
 *
 * <p>The time is read in its own statement. In other statements, a distributed database uses the clocks of several
 * servers.
 */
@ApplicationScoped
public class DatabaseClock {
    /** A query for the current time, for {@link #now(Sql.Results)}. */
    public static final String NOW = "SELECT clock_timestamp() AS now";

    private final DataSource database;
    private final UtcClock clock;

    public DatabaseClock(DataSource database, UtcClock clock) {
        this.database = database;
        this.clock = clock;
    }

    /** The current time, read on a connection of its own. */
    public Instant now() throws SQLException {
        try (var connection = database.getConnection()) {
            return now(new Sql(connection));
        }
    }

    /** The current time. */
    public Instant now(Sql sql) throws SQLException {
        return sql.results(this::now, NOW);
    }

    /** Reads the current time from the result of {@link #NOW}, if it is the next one. */
    public Instant now(Sql.Results results) throws SQLException {
        return clock.shared(results.next(row -> Sql.instant(row, "now")).getFirst());
    }
}
