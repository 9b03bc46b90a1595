package dev.okr.platform.transactions;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import javax.sql.DataSource;
import org.jboss.logging.Logger;

/**
 * Searches the rows of all organisations, without locks, and then visits the organisations that have work. A visit
 * locks and changes the rows of one organisation in each transaction.
 *
 * <p>In a distributed schema, one search reads all workers. While a worker is unreachable, a search reads the other
 * workers one after the other, and the organisations of the unreachable worker are not visited. So the work of other
 * organisations continues. {@link Workers} knows which workers are unreachable.
 */
@ApplicationScoped
public class OrganizationSearch {
    private static final Logger LOG = Logger.getLogger(OrganizationSearch.class);

    private static final int MAX_ORGANIZATIONS_PER_STATEMENT = 1_000;

    /** Sorts before the ids of all organisations. */
    public static final UUID FIRST = new UUID(0, 0);

    // get_shard_id_for_distribution_column is volatile. With OFFSET, PostgreSQL calls it once for each organisation.
    // Otherwise PostgreSQL would call it for each placement.
    private static final String GROUPS = """
            SELECT worker, min(id::text)::uuid AS organization, string_agg(quote_literal(id), ', ') AS organizations
            FROM (
                SELECT o.id, p.groupid AS worker, row_number() OVER (PARTITION BY p.groupid ORDER BY o.id) / ? AS part
                FROM (SELECT id, get_shard_id_for_distribution_column('team', id) AS shard
                    FROM organization OFFSET 0) o
                JOIN pg_dist_placement p ON p.shardid = o.shard) placed
            GROUP BY worker, part
            """;

    /** The order of ids in PostgreSQL. {@link UUID#compareTo} has another order, because it compares signed numbers. */
    private static final Comparator<UUID> ORDER = Comparator.comparing(UUID::toString);

    private final DataSource database;
    private final Workers workers;

    @Inject
    OrganizationSearch(DataSource database, Workers workers) {
        this.database = database;
        this.workers = workers;
    }

    /** Searches a database other than that of the service. */
    public OrganizationSearch(DataSource database) {
        this(database, new Workers(database));
    }

    /** A search. Its WHERE clause starts with the condition, which is empty or selects some organisations. */
    @FunctionalInterface
    public interface Search<T> {
        List<T> run(Sql sql, String condition) throws SQLException;
    }

    /** The work of one organisation. It can be repeated, because each of its transactions leaves the data consistent. */
    @FunctionalInterface
    public interface Visit<T> {
        T run() throws SQLException;
    }

    /**
     * A page of a search.
     *
     * @param last the last organisation of the page, if there may be more pages
     */
    public record Page<T>(List<T> rows, Optional<UUID> last) {}

    /** Some organisations of a worker, as an SQL condition. */
    private record Group(int worker, UUID organization, String condition) {}

    /** Whether all workers are reachable, as far as this replica knows. */
    public boolean areReachable() {
        return workers.areReachable();
    }

    /** The rows that a search finds. Rows are missing if their worker is unreachable or too slow. */
    public <T> List<T> run(Search<T> search) throws SQLException {
        return results(search).stream().flatMap(List::stream).toList();
    }

    /**
     * A page of a search. The search must sort its rows by organisation and limit their number to {@code maxRows}. If
     * it runs on each worker separately, there are several results. A result with {@code maxRows} rows may be
     * incomplete. The page ends at the smallest last organisation of these results. The next page then contains the
     * later organisations of all workers.
     *
     * @param position the organisation of a row. Rows for which it is empty do not count towards {@code maxRows} and
     *     stay in the page.
     */
    public <T> Page<T> page(Search<T> search, int maxRows, Function<T, Optional<UUID>> position) throws SQLException {
        var results = results(search);
        var last = results.stream()
                .map(rows ->
                        rows.stream().map(position).flatMap(Optional::stream).toList())
                .filter(organizations -> organizations.size() >= maxRows)
                .map(List::getLast)
                .min(ORDER);
        var rows = results.stream()
                .flatMap(List::stream)
                .filter(row -> last.isEmpty()
                        || position.apply(row)
                                .filter(organization -> ORDER.compare(organization, last.get()) > 0)
                                .isEmpty())
                .toList();
        return new Page<>(rows, last);
    }

    /**
     * Does the work of an organisation, unless its worker is unreachable. Logs a failure, so that the work of other
     * organisations continues.
     *
     * @return empty if the work was skipped or has failed. Some of its transactions may be committed.
     * @throws SQLException if the work of other organisations would fail too, because the database is unavailable
     */
    public <T> Optional<T> visit(UUID organization, Visit<T> visit) throws SQLException {
        try {
            return workers.isReachable(organization) ? Optional.of(visit.run()) : Optional.empty();
        } catch (SQLException | RuntimeException e) {
            if (SqlFailures.isUnavailable(e) || SqlFailures.isConflict(e)) {
                LOG.warnf("Background work of organisation %s failed: %s", organization, SqlFailures.reason(e));
            } else {
                LOG.errorf(e, "Background work of organisation %s failed", organization);
            }
            if (SqlFailures.isUnavailable(e)) {
                // The worker may be the cause. One slow statement, for example, does not affect other organisations.
                workers.test(organization);
            }
            return Optional.empty();
        }
    }

    /** The result of the search, or one result for each reachable worker. */
    private <T> List<List<T>> results(Search<T> search) throws SQLException {
        if (!workers.areReachable()) {
            return byWorker(search);
        }
        try {
            return List.of(read(search, ""));
        } catch (SQLException e) {
            if (!SqlFailures.mayBeOfWorker(e)) {
                throw e;
            }
            try {
                var results = byWorker(search);
                LOG.warnf("A search failed and was repeated for each worker: %s", SqlFailures.reason(e));
                return results;
            } catch (SQLException other) {
                // The repeated search fails too, for example because the schema is not distributed.
                e.addSuppressed(other);
                throw e;
            }
        }
    }

    private <T> List<List<T>> byWorker(Search<T> search) throws SQLException {
        var groups = new ArrayList<>(read(OrganizationSearch::groups, ""));
        if (groups.isEmpty()) {
            throw new SQLException("The schema is not distributed.");
        }
        // The first results get the free slots for deliveries. In a random order, no worker is always last.
        Collections.shuffle(groups);
        var results = new ArrayList<List<T>>();
        for (var group : groups) {
            if (workers.isReachable(group.worker())) {
                try {
                    results.add(read(search, group.condition()));
                } catch (SQLException e) {
                    if (!SqlFailures.mayBeOfWorker(e)) {
                        throw e;
                    }
                    LOG.warnf("A search left out some organisations: %s", SqlFailures.reason(e));
                    // The worker may be reachable, and only the search was slow.
                    workers.test(group.worker(), group.organization());
                }
            }
        }
        return results;
    }

    private static List<Group> groups(Sql sql, String condition) throws SQLException {
        return sql.list(
                row -> new Group(
                        row.getInt("worker"),
                        Sql.uuid(row, "organization"),
                        "organization_id IN (" + row.getString("organizations") + ") AND"),
                GROUPS,
                MAX_ORGANIZATIONS_PER_STATEMENT);
    }

    /** PostgreSQL plans each search again, because a table may be empty now and hold a million rows soon. */
    private <T> List<T> read(Search<T> search, String condition) throws SQLException {
        try (var connection = Workers.connect(database)) {
            return search.run(new Sql(connection, true), condition);
        }
    }
}
