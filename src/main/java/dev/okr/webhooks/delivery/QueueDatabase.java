package dev.okr.webhooks.delivery;

import dev.okr.platform.transactions.DatabaseClock;
import dev.okr.platform.transactions.OrganizationSearch;
import dev.okr.platform.transactions.Sql;
import jakarta.enterprise.context.ApplicationScoped;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import javax.sql.DataSource;

/**
 * Transactions on the tables of the queue. These tables may be empty now and hold a million rows a minute later.
 * PostgreSQL therefore plans each statement again, with the current size of the tables.
 *
 * <p>A search without locks finds the organisations that have work. Each transaction then works on one organisation. So
 * the failure of one server of a distributed schema delays only the organisations of this server.
 */
@ApplicationScoped
class QueueDatabase {
    /** The limit of rows for one transaction of background work. */
    static final int MAX_BATCH = 500;

    /** The limit for one organisation in one run. The next run continues. */
    private static final int MAX_BATCHES = 20;

    private static final int MAX_ORGANIZATIONS = 1_000;

    private static final String ORGANIZATIONS = "SELECT id FROM organization WHERE id > ? ORDER BY id LIMIT ?";

    private final DataSource database;
    private final DatabaseClock clock;
    private final OrganizationSearch organizations;

    QueueDatabase(DataSource database, DatabaseClock clock, OrganizationSearch organizations) {
        this.database = database;
        this.clock = clock;
        this.organizations = organizations;
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

    /**
     * Runs batches of {@link #MAX_BATCH} rows until one has fewer rows, but at most {@value #MAX_BATCHES} batches. Each
     * has its own transaction. Returns the number of rows.
     */
    int repeat(Sql.Work<Integer, RuntimeException> batch) throws SQLException {
        int rows = 0;
        boolean full = true;
        for (int batches = 0; full && batches < MAX_BATCHES; batches++) {
            int inBatch = transaction(batch);
            rows += inBatch;
            full = inBatch == MAX_BATCH;
        }
        return rows;
    }

    OrganizationSearch organizations() {
        return organizations;
    }

    /** The next organisations in the order of their ids, at most {@value #MAX_ORGANIZATIONS}. */
    List<UUID> organizationsAfter(UUID last) throws SQLException {
        return read(sql -> sql.list(row -> Sql.uuid(row, "id"), ORGANIZATIONS, last, MAX_ORGANIZATIONS));
    }

    /** The current time by the clock of the database. */
    Instant now(Sql sql) throws SQLException {
        return clock.now(sql);
    }

    /** Reads the current time from the result of {@link DatabaseClock#NOW}, if it is the next one. */
    Instant now(Sql.Results results) throws SQLException {
        return clock.now(results);
    }
}
