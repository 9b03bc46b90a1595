package dev.okr.webhooks.delivery;

import dev.okr.platform.time.UtcClock;
import dev.okr.platform.transactions.OrganizationSearch;
import dev.okr.platform.transactions.Sql;
import jakarta.enterprise.context.ApplicationScoped;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import javax.sql.DataSource;

/**
 * Transactions on the tables of the queue. These tables may be empty now and hold a million rows a minute later.
 * PostgreSQL therefore plans each statement again, with the current size of the tables.
 *
 * <p>Each transaction works on one organisation, so that on a distributed database the failure of one server delays
 * only its organisations. What has work is searched without locks before.
 */
@ApplicationScoped
class QueueDatabase {
    private final DataSource database;
    private final UtcClock clock;
    private final OrganizationSearch organizations;

    QueueDatabase(DataSource database, UtcClock clock) {
        this.database = database;
        this.clock = clock;
        this.organizations = new OrganizationSearch(database);
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

    /** See {@link OrganizationSearch#run}. */
    <T> List<T> search(OrganizationSearch.Search<T> search) throws SQLException {
        return organizations.run(search);
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
