package dev.okr.platform.transactions;

import io.agroal.api.AgroalDataSource;
import jakarta.enterprise.context.ApplicationScoped;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

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

    private static final String ALL = "true";
    private static final String SOME = "organization_id = ANY (?)";

    // An organisation has the same worker in all tables, because they are co-located.
    private static final String BY_WORKER = """
            SELECT o.id, p.groupid FROM organization o
            JOIN pg_dist_placement p ON p.shardid = get_shard_id_for_distribution_column('team', o.id)
            ORDER BY p.groupid, o.id
            """;

    private final AgroalDataSource database;

    public OrganizationSearch(AgroalDataSource database) {
        this.database = database;
    }

    /**
     * The rows that a statement finds.
     *
     * @param statement has {@code %s} in place of the condition on {@code organization_id}, before any question mark
     */
    public <T> List<T> list(Sql.Reader<T> reader, String statement, @Nullable Object... parameters)
            throws SQLException {
        try (var connection = database.getConnection()) {
            var all = TenantIsolation.ALL_ORGANIZATIONS + ' ' + statement.formatted(ALL);
            return planned(connection).list(reader, all, parameters);
        } catch (SQLException e) {
            if (!SqlFailures.isUnavailable(e)) {
                throw e;
            }
            return byWorker(reader, statement, parameters, e);
        }
    }

    private <T> List<T> byWorker(
            Sql.Reader<T> reader, String statement, @Nullable Object[] parameters, SQLException reason)
            throws SQLException {
        var found = new ArrayList<T>();
        for (var organizations : organizationsByWorker(reason)) {
            var values = new ArrayList<@Nullable Object>(List.of(organizations));
            values.addAll(Arrays.asList(parameters));
            try (var connection = database.getConnection()) {
                found.addAll(planned(connection).list(reader, statement.formatted(SOME), values.toArray()));
            } catch (SQLException e) {
                LOG.debugf("a worker cannot be searched: %s", SqlFailures.reason(e));
            }
        }
        return found;
    }

    /** The tables of the delivery queue may be empty now and hold a million rows a minute later. */
    private static Sql planned(Connection connection) {
        return new Sql(connection, true);
    }

    /**
     * Groups of organisations that are on the same worker.
     *
     * @throws SQLException the reason of the failed search, if the schema is not distributed
     */
    private List<List<UUID>> organizationsByWorker(SQLException reason) throws SQLException {
        List<Place> places;
        try (var connection = database.getConnection()) {
            places = new Sql(connection).list(row -> new Place(Sql.uuid(row, "id"), row.getInt("groupid")), BY_WORKER);
        } catch (SQLException e) {
            reason.addSuppressed(e);
            throw reason;
        }
        var groups = new ArrayList<List<UUID>>();
        int last = -1;
        for (var place : places) {
            if (place.worker() != last || groups.getLast().size() == MAX_ORGANIZATIONS_PER_STATEMENT) {
                groups.add(new ArrayList<>());
            }
            groups.getLast().add(place.organizationId());
            last = place.worker();
        }
        return groups;
    }

    private record Place(UUID organizationId, int worker) {}
}
