package dev.okr.webhooks.delivery;

import dev.okr.platform.time.UtcClock;
import dev.okr.platform.transactions.Sql;
import dev.okr.platform.transactions.SqlFailures;
import jakarta.enterprise.context.ApplicationScoped;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import javax.sql.DataSource;
import org.jboss.logging.Logger;

/**
 * Transactions on the tables of the queue. These tables may be empty now and hold a million rows a minute later.
 * PostgreSQL therefore plans each statement again, with the current size of the tables.
 *
 * <p>Each transaction works on one organisation, so that on a distributed database the failure of one server delays
 * only its organisations. What has work is searched without locks before.
 */
@ApplicationScoped
class QueueDatabase {
    private static final Logger LOG = Logger.getLogger(QueueDatabase.class);

    /** An organisation that could not be searched is left out for this time. */
    private static final Duration BACK_OFF = Duration.ofSeconds(10);

    private static final String ORGANIZATIONS = "SELECT id FROM organization ORDER BY id";

    private final DataSource database;
    private final UtcClock clock;
    private final Map<UUID, Instant> failedUntil = new ConcurrentHashMap<>();

    QueueDatabase(DataSource database, UtcClock clock) {
        this.database = database;
        this.clock = clock;
    }

    <T> T transaction(Sql.Work<T, RuntimeException> work) throws SQLException {
        return Sql.<T, RuntimeException>transaction(database, sql -> work.run(new Sql(sql.connection(), true)));
    }

    /** Runs queries that need no transaction. */
    <T> T read(Sql.Work<T, RuntimeException> work) throws SQLException {
        try (var connection = database.getConnection()) {
            return work.run(new Sql(connection, true));
        }
    }

    /** A search. The condition that it gets is part of its WHERE clause. It is empty or selects one organisation. */
    @FunctionalInterface
    interface Search<T> {
        List<T> run(Sql sql, String condition) throws SQLException;
    }

    /**
     * Searches all organisations. If that fails, it searches one after the other and leaves out those that fail. So if
     * one server of a distributed database is away, the work of the organisations on other servers goes on.
     */
    <T> List<T> search(Search<T> search) throws SQLException {
        try {
            return read(sql -> search.run(sql, ""));
        } catch (SQLException e) {
            var found = new ArrayList<T>();
            for (var organization : read(sql -> sql.list(row -> Sql.uuid(row, "id"), ORGANIZATIONS))) {
                found.addAll(search(search, organization));
            }
            return found;
        }
    }

    private <T> List<T> search(Search<T> search, UUID organization) {
        var failed = failedUntil.get(organization);
        if (failed != null && MonotonicClock.now().isBefore(failed)) {
            return List.of();
        }
        try {
            var found = this.<List<T>>read(sql -> search.run(sql, "organization_id = '" + organization + "' AND"));
            failedUntil.remove(organization);
            return found;
        } catch (SQLException e) {
            LOG.debugf("cannot search the queue of an organisation: %s", SqlFailures.reason(e));
            failedUntil.put(organization, MonotonicClock.now().plus(BACK_OFF));
            return List.of();
        }
    }

    /**
     * The current time by the clock of the database, which all replicas share. Leases and due times use it. It is read
     * in its own statement, because a distributed database would otherwise use the clocks of several servers.
     */
    Instant now(Sql sql) throws SQLException {
        return clock.shared(sql.first(row -> Sql.instant(row, "now"), "SELECT clock_timestamp() AS now")
                .orElseThrow());
    }
}
