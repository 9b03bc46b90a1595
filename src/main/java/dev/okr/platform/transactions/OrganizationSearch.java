package dev.okr.platform.transactions;

import jakarta.enterprise.context.ApplicationScoped;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.jboss.logging.Logger;

/**
 * Searches the rows of all organisations, without locks. Jobs use it to find the organisations that have work. They
 * then lock and change the rows of one organisation in each transaction.
 *
 * <p>In a distributed schema, one search reads all workers. If a worker is unreachable, the search is repeated for the
 * organisations of each worker. So the organisations of other workers still get their work done.
 */
@ApplicationScoped
public class OrganizationSearch {
    private static final Logger LOG = Logger.getLogger(OrganizationSearch.class);

    private static final int MAX_ORGANIZATIONS_PER_STATEMENT = 1_000;

    /** An unreachable worker is left out for this time, because each attempt may wait for a timeout. */
    private static final Duration BACK_OFF = Duration.ofSeconds(10);

    // An organisation has the same worker in all tables, because they are co-located.
    private static final String BY_WORKER = """
            SELECT o.id, p.groupid FROM organization o
            JOIN pg_dist_placement p ON p.shardid = get_shard_id_for_distribution_column('team', o.id)
            ORDER BY p.groupid, o.id
            """;

    private final DataSource database;
    private final Map<Integer, Long> failedUntilNanos = new ConcurrentHashMap<>();

    public OrganizationSearch(DataSource database) {
        this.database = database;
    }

    /** A search. The condition that it gets begins its WHERE clause. It is empty or selects some organisations. */
    @FunctionalInterface
    public interface Search<T> {
        List<T> run(Sql sql, String condition) throws SQLException;
    }

    /** The organisations of a worker, or some of them. */
    private record Group(int worker, List<UUID> organizations) {
        String condition() {
            return organizations.stream()
                    .map(UUID::toString)
                    .collect(Collectors.joining("', '", "organization_id IN ('", "') AND"));
        }
    }

    /** The rows that a search finds. */
    public <T> List<T> run(Search<T> search) throws SQLException {
        if (failedUntilNanos.keySet().stream().anyMatch(this::isBackingOff)) {
            return byWorker(search, groups());
        }
        try {
            return read(search, "");
        } catch (SQLException e) {
            if (!SqlFailures.isUnavailable(e)) {
                throw e;
            }
            return byWorker(search, groups(e));
        }
    }

    private <T> List<T> byWorker(Search<T> search, List<Group> groups) {
        var found = new ArrayList<T>();
        for (var group : groups) {
            if (isBackingOff(group.worker())) {
                continue;
            }
            try {
                found.addAll(read(search, group.condition()));
                failedUntilNanos.remove(group.worker());
            } catch (SQLException e) {
                LOG.debugf("a worker cannot be searched: %s", SqlFailures.reason(e));
                failedUntilNanos.put(group.worker(), System.nanoTime() + BACK_OFF.toNanos());
            }
        }
        return found;
    }

    private boolean isBackingOff(int worker) {
        var until = failedUntilNanos.get(worker);
        return until != null && System.nanoTime() - until < 0;
    }

    /** @throws SQLException the reason of the failed search, if the schema is not distributed */
    private List<Group> groups(SQLException reason) throws SQLException {
        try {
            return groups();
        } catch (SQLException e) {
            reason.addSuppressed(e);
            throw reason;
        }
    }

    private List<Group> groups() throws SQLException {
        var groups = new ArrayList<Group>();
        read(
                (sql, condition) ->
                        sql.list(row -> addTo(groups, row.getInt("groupid"), Sql.uuid(row, "id")), BY_WORKER),
                "");
        return groups;
    }

    private static boolean addTo(List<Group> groups, int worker, UUID organization) {
        if (groups.isEmpty()
                || groups.getLast().worker() != worker
                || groups.getLast().organizations().size() == MAX_ORGANIZATIONS_PER_STATEMENT) {
            groups.add(new Group(worker, new ArrayList<>()));
        }
        return groups.getLast().organizations().add(organization);
    }

    /** Planned again each time, because the tables of the queue may be empty now and hold a million rows soon. */
    private <T> List<T> read(Search<T> search, String condition) throws SQLException {
        try (var connection = database.getConnection()) {
            return search.run(new Sql(connection, true), condition);
        }
    }
}
