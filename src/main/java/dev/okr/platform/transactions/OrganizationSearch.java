package dev.okr.platform.transactions;

import jakarta.enterprise.context.ApplicationScoped;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import javax.sql.DataSource;
import org.jboss.logging.Logger;

/**
 * Searches the rows of all organisations, without locks. Jobs use it to find the organisations that have work. They
 * then lock and change the rows of one organisation in each transaction.
 *
 * <p>In a distributed schema, one search reads all workers. If a worker is unreachable, the search is repeated for the
 * organisations of each worker. So it still finds the work of the organisations of other workers.
 */
@ApplicationScoped
public class OrganizationSearch {
    private static final Logger LOG = Logger.getLogger(OrganizationSearch.class);

    private static final int MAX_ORGANIZATIONS_PER_STATEMENT = 1_000;

    /** Searches skip an unreachable worker for this time, because each attempt may wait for a timeout. */
    private static final Duration BACK_OFF = Duration.ofSeconds(10);

    // All distributed tables are co-located, so the worker of an organisation is the same for each table.
    private static final String GROUPS = """
            SELECT worker, string_agg(quote_literal(id), ', ') AS organizations FROM (
                SELECT o.id, p.groupid AS worker, row_number() OVER (PARTITION BY p.groupid ORDER BY o.id) / ? AS part
                FROM organization o
                JOIN pg_dist_placement p ON p.shardid = get_shard_id_for_distribution_column('team', o.id)) placed
            GROUP BY worker, part
            """;

    private final DataSource database;
    private final Map<Integer, Long> failedUntilNanos = new ConcurrentHashMap<>();

    public OrganizationSearch(DataSource database) {
        this.database = database;
    }

    /** A search. Its WHERE clause starts with the condition, which is empty or selects some organisations. */
    @FunctionalInterface
    public interface Search<T> {
        List<T> run(Sql sql, String condition) throws SQLException;
    }

    /** Some organisations of a worker, as an SQL condition. */
    private record Group(int worker, String condition) {}

    /** The rows that a search finds. The rows of unreachable workers are missing. */
    public <T> List<T> run(Search<T> search) throws SQLException {
        if (failedUntilNanos.keySet().stream().anyMatch(this::isBackingOff)) {
            return byWorker(search);
        }
        try {
            return read(search, "");
        } catch (SQLException e) {
            if (!SqlFailures.isUnavailable(e)) {
                throw e;
            }
            try {
                return byWorker(search);
            } catch (SQLException other) {
                e.addSuppressed(other);
                throw e;
            }
        }
    }

    private <T> List<T> byWorker(Search<T> search) throws SQLException {
        var found = new ArrayList<T>();
        for (var group : read(OrganizationSearch::groups, "")) {
            if (isBackingOff(group.worker())) {
                continue;
            }
            try {
                found.addAll(read(search, group.condition()));
                failedUntilNanos.remove(group.worker());
            } catch (SQLException e) {
                LOG.debugf("A worker was not searched: %s", SqlFailures.reason(e));
                failedUntilNanos.put(group.worker(), System.nanoTime() + BACK_OFF.toNanos());
            }
        }
        return found;
    }

    private static List<Group> groups(Sql sql, String condition) throws SQLException {
        return sql.list(
                row -> new Group(
                        row.getInt("worker"), "organization_id IN (" + row.getString("organizations") + ") AND"),
                GROUPS,
                MAX_ORGANIZATIONS_PER_STATEMENT);
    }

    private boolean isBackingOff(int worker) {
        var until = failedUntilNanos.get(worker);
        return until != null && System.nanoTime() - until < 0;
    }

    /** PostgreSQL plans each search again, because a table may be empty now and hold a million rows soon. */
    private <T> List<T> read(Search<T> search, String condition) throws SQLException {
        try (var connection = database.getConnection()) {
            return search.run(new Sql(connection, true), condition);
        }
    }
}
