package dev.okr.access.limits;

import dev.okr.access.limits.SharedBucket.Key;
import dev.okr.access.limits.SharedBucket.Left;
import dev.okr.platform.transactions.Sql;
import dev.okr.platform.transactions.SqlFailures;
import io.agroal.api.AgroalDataSource;
import io.quarkus.scheduler.Scheduled;
import jakarta.enterprise.context.ApplicationScoped;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jboss.logging.Logger;

/** The shared buckets in the database. They use the clock of the database. */
@ApplicationScoped
class BucketTable {
    private static final Logger LOG = Logger.getLogger(BucketTable.class);

    private static final int MAX_BATCH = 500;
    private static final int MAX_BATCHES = 200;

    /**
     * Counts the replicas that reported in the last 12 seconds. A running replica reports at least every five seconds
     * ({@link BucketSynchroniser#MAX_REPORT_INTERVAL}).
     */
    private static final String SYNCHRONISE = """
            WITH alive AS (
                INSERT INTO rate_limit_replica (id, seen_at) VALUES (?, clock_timestamp())
                ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at),
            bucket AS (
                INSERT INTO rate_limit AS l (organization_id, api_key_id, tokens, refilled_at, reports)
                SELECT organization_id, api_key_id, q.capacity - consumed, clock_timestamp(), 1
                FROM unnest(CAST(? AS uuid[]), CAST(? AS uuid[]), CAST(? AS integer[]))
                        AS u (organization_id, api_key_id, consumed),
                    (SELECT CAST(? AS double precision) AS capacity) AS q
                -- All replicas lock the rows in this order, which prevents deadlocks.
                ORDER BY organization_id, api_key_id
                ON CONFLICT (organization_id, api_key_id) DO UPDATE SET
                    tokens = least(?, l.tokens
                            + greatest(0, extract(epoch FROM clock_timestamp() - l.refilled_at)) * ? / 60.0)
                        - (? - excluded.tokens),
                    refilled_at = clock_timestamp(),
                    reports = l.reports + 1
                RETURNING organization_id, api_key_id, tokens, reports)
            SELECT bucket.*, replicas
            FROM (SELECT count(*) + 1 AS replicas FROM rate_limit_replica
                WHERE id <> ? AND seen_at > clock_timestamp() - interval '12 seconds') AS r
            LEFT JOIN bucket ON true
            """;

    private static final String LEAVE = "DELETE FROM rate_limit_replica WHERE id = ?";
    private static final String PRUNE = """
            DELETE FROM rate_limit l USING (
                SELECT organization_id, api_key_id FROM rate_limit
                WHERE refilled_at < now() - interval '1 hour' LIMIT ? FOR UPDATE SKIP LOCKED) old
            WHERE l.organization_id = old.organization_id AND l.api_key_id = old.api_key_id
            """;
    private static final String PRUNE_REPLICAS =
            "DELETE FROM rate_limit_replica WHERE seen_at < now() - interval '1 hour'";

    private final AgroalDataSource database;
    private final UUID replica = UUID.randomUUID();
    private final double capacity;

    BucketTable(AgroalDataSource database, LimitSettings settings) {
        this.database = database;
        this.capacity = settings.requestsPerMinute;
    }

    /**
     * @param replicas the number of replicas, including this one
     * @param left the states of the buckets
     */
    record State(int replicas, Map<Key, Left> left) {}

    private record Row(int replicas, Key key, Left left) {}

    /** Reports the requests of this replica and returns the state of their buckets, in one round trip. */
    State synchronise(Map<Key, Integer> consumed) throws SQLException {
        List<Key> keys = List.copyOf(consumed.keySet());
        try (var connection = database.getConnection()) {
            var rows = new Sql(connection)
                    .list(
                            row -> new Row(
                                    row.getInt("replicas"),
                                    new Key(
                                            row.getObject("organization_id", UUID.class),
                                            row.getObject("api_key_id", UUID.class)),
                                    new Left(row.getDouble("tokens"), row.getLong("reports"))),
                            SYNCHRONISE,
                            replica,
                            keys.stream().map(Key::organizationId).toList(),
                            keys.stream().map(Key::keyId).toList(),
                            keys.stream().map(consumed::get).toList(),
                            capacity,
                            capacity,
                            capacity,
                            capacity,
                            replica);
            return state(rows);
        }
    }

    /** Removes this replica from the count of replicas. */
    void leave() throws SQLException {
        try (var connection = database.getConnection()) {
            new Sql(connection).update(LEAVE, replica);
        }
    }

    @Scheduled(every = "{okr.rate-limit.prune-every}", concurrentExecution = Scheduled.ConcurrentExecution.SKIP)
    void prune() {
        try (var connection = database.getConnection()) {
            var sql = new Sql(connection);
            sql.update(PRUNE_REPLICAS);
            int rows = MAX_BATCH;
            for (int batches = 0; rows == MAX_BATCH && batches < MAX_BATCHES; batches++) {
                rows = sql.update(PRUNE, MAX_BATCH);
            }
        } catch (SQLException e) {
            LOG.warnf("Unused rate limits were not pruned. The next run tries again: %s", SqlFailures.reason(e));
        }
    }

    private static State state(Collection<Row> rows) {
        var left = new HashMap<Key, Left>();
        int replicas = 1;
        for (var row : rows) {
            replicas = row.replicas();
            left.put(row.key(), row.left());
        }
        return new State(replicas, left);
    }
}
