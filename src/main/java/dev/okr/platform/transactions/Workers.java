package dev.okr.platform.transactions;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.quarkus.scheduler.Scheduled;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import javax.sql.DataSource;
import org.jboss.logging.Logger;

/**
 * The workers of a distributed schema that this replica cannot reach. Searches and visits leave out the organisations
 * of these workers, because each statement may wait for a timeout. Only a scheduled job tests an unreachable worker
 * again.
 */
@Singleton
class Workers implements MeterBinder {
    private static final Logger LOG = Logger.getLogger(Workers.class);

    // All distributed tables are co-located, so the worker of an organisation is the same for each table. The function
    // is volatile. In a subquery, PostgreSQL calls it once. Otherwise PostgreSQL would call it for each placement.
    private static final String FIND = """
            SELECT groupid FROM pg_dist_placement
            WHERE shardid = (SELECT get_shard_id_for_distribution_column('team', ?::uuid))
            """;
    private static final String TRY = "SELECT id FROM team WHERE organization_id = ? ORDER BY id LIMIT 1";

    private final DataSource database;

    /** One organisation of each unreachable worker. The key is the {@code groupid} of the worker in Citus. */
    private final Map<Integer, UUID> unreachable = new ConcurrentHashMap<>();

    /** The workers that a thread is testing now. */
    private final Set<Integer> tested = ConcurrentHashMap.newKeySet();

    Workers(DataSource database) {
        this.database = database;
    }

    @Override
    public void bindTo(MeterRegistry metrics) {
        metrics.gaugeMapSize("okr.database.workers.unreachable", List.of(), unreachable);
    }

    boolean areReachable() {
        return unreachable.isEmpty();
    }

    boolean isReachable(int worker) {
        return !unreachable.containsKey(worker);
    }

    /** Whether the worker of an organisation is reachable, as far as this replica knows. */
    boolean isReachable(UUID organization) throws SQLException {
        return areReachable()
                || worker(organization).filter(worker -> !isReachable(worker)).isEmpty();
    }

    /**
     * Tests the worker of an organisation after work of this organisation has failed.
     *
     * @throws SQLException if the coordinator is unavailable, or the only server of a schema that is not distributed
     */
    void test(UUID organization) throws SQLException {
        Optional<Integer> worker;
        try {
            worker = worker(organization);
        } catch (SQLException e) {
            if (SqlFailures.isUnavailable(e)) {
                throw e;
            }
            LOG.debugf("The schema is not distributed: %s", SqlFailures.reason(e));
            return;
        }
        worker.ifPresent(number -> test(number, organization));
    }

    @Scheduled(every = "5s", concurrentExecution = Scheduled.ConcurrentExecution.SKIP)
    void testUnreachable() {
        unreachable.forEach((worker, organization) -> {
            try {
                // The rows of the organisation may have moved to another worker.
                if (worker(organization).filter(worker::equals).isPresent()) {
                    test(worker, organization);
                } else {
                    unreachable.remove(worker);
                }
            } catch (SQLException e) {
                LOG.debugf("The coordinator is unavailable: %s", SqlFailures.reason(e));
            }
        });
    }

    /** Tests a worker with a statement on rows of one of its organisations. Only one thread tests it at a time. */
    void test(int worker, UUID organization) {
        if (!tested.add(worker)) {
            return;
        }
        try (var connection = connect(database)) {
            new Sql(connection).first(row -> true, TRY, organization);
            if (unreachable.remove(worker) != null) {
                LOG.infof("The database worker with groupid %d is reachable again", worker);
            }
        } catch (SQLException e) {
            if (SqlFailures.mayBeOfWorker(e) && unreachable.put(worker, organization) == null) {
                LOG.warnf(
                        "The database worker with groupid %d is unreachable. Background work of its organisations"
                                + " waits: %s",
                        worker, SqlFailures.reason(e));
            }
        } finally {
            tested.remove(worker);
        }
    }

    /** Gets a connection to the coordinator. Its failures have a different exception type than those of workers. */
    static Connection connect(DataSource database) throws SQLException {
        try {
            return database.getConnection();
        } catch (SQLException e) {
            throw new SQLTransientConnectionException("No connection to the database is available.", e);
        }
    }

    private Optional<Integer> worker(UUID organization) throws SQLException {
        try (var connection = connect(database)) {
            return new Sql(connection).first(row -> row.getInt("groupid"), FIND, organization);
        }
    }
}
