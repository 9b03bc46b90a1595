package dev.okr.bench;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** Writes events and long queues directly to the database. */
final class Queue implements AutoCloseable {
    // Like events.Outbox, with the payload of a real event. Then it notifies the service like another replica.
    private static final String PRODUCE = """
            WITH moment AS (SELECT clock_timestamp() AS at),
            appended AS (
                INSERT INTO event (organization_id, id, type, resource_id, created_at, payload)
                SELECT ?::uuid, uuid_v7(at + n * interval '1 microsecond'), ?, 'obj_bench', at,
                    regexp_replace(?, 'bench-[0-9]+', 'bench-' || lpad((?::int + n)::text, 10, '0'))
                FROM moment, generate_series(0, ?::int - 1) AS n
                RETURNING organization_id, id, type)
            INSERT INTO outbox (organization_id, event_id, type) SELECT organization_id, id, type FROM appended
            """;

    // Like webhooks.delivery.FanOut, for past events.
    private static final String EVENTS = """
            INSERT INTO event (organization_id, id, type, resource_id, created_at, payload)
            SELECT ?::uuid, uuid_v7(at + n * interval '1 microsecond'), ?, 'obj_bench', at, ?
            FROM (SELECT now() - interval '1 hour' AS at) AS moment, generate_series(1, ?) AS n
            """;
    private static final String READY = """
            INSERT INTO delivery (organization_id, id, webhook_id, event_id, status, attempts, retries, ready,
                created_at, updated_at)
            SELECT e.organization_id, uuid_v7(now() + row_number() OVER () * interval '1 microsecond'), w, e.id,
                'pending', 0, 0, true, now(), now()
            FROM event e, unnest(?::uuid[]) AS w WHERE e.type = ?
            """;
    // Like webhooks.delivery.AttemptLog after a failure. The retry is due after the end of the benchmark.
    private static final String WAITING = """
            INSERT INTO delivery (organization_id, id, webhook_id, event_id, status, attempts, retries, ready, due_at,
                created_at, updated_at)
            SELECT e.organization_id, uuid_v7(now() + row_number() OVER () * interval '1 microsecond'), w, e.id,
                'pending', 3, 3, false, now() + interval '1 hour' + random() * interval '9 hours', now(), now()
            FROM event e, unnest(?::uuid[]) AS w WHERE e.type = ?
            """;

    // Like webhooks.delivery.LaneRepair.
    private static final String LANES = """
            INSERT INTO delivery_lane (organization_id, webhook_id, due_at, failing)
            SELECT DISTINCT organization_id, webhook_id, now(), false FROM delivery_pending
            ON CONFLICT (organization_id, webhook_id) DO UPDATE SET due_at = excluded.due_at
            """;

    // Finishes the claimed deliveries and adds as many new ones at the end of the endpoint queues.
    private static final String REPLACE = """
            WITH gone AS (
                UPDATE delivery SET status = 'succeeded', attempts = 1, ready = false, due_at = NULL, claim = NULL
                WHERE status = 'pending' AND organization_id = ?::uuid AND id = ANY (?::uuid[])
                RETURNING organization_id, webhook_id),
            numbered AS (
                SELECT *, row_number() OVER (PARTITION BY webhook_id) AS n FROM gone),
            fresh AS (
                INSERT INTO event (organization_id, id, type, resource_id, created_at, payload)
                SELECT ?::uuid, uuid_v7(clock_timestamp() + n * interval '1 microsecond'), ?, 'obj_bench', now(), ?
                FROM generate_series(1, ?) AS n
                RETURNING id)
            INSERT INTO delivery (organization_id, id, webhook_id, event_id, status, attempts, retries, ready,
                created_at, updated_at)
            SELECT organization_id, uuid_v7(clock_timestamp()), webhook_id, f.id, 'pending', 0, 0, true, now(), now()
            FROM numbered JOIN (SELECT id, row_number() OVER (ORDER BY id) AS n FROM fresh) f USING (n)
            """;

    private final Connection connection;
    private final UUID organization;
    private final String payload;

    /** @param payload the payload of the events to make */
    Queue(Connection connection, String payload) throws SQLException {
        this.connection = connection;
        this.payload = payload;
        this.organization = UUID.fromString(text("SELECT id::text FROM organization"));
    }

    /** Uses the payload of an event that the API has made. */
    static Queue open(Connection connection) throws SQLException {
        var payload = new Queue(connection, "").text("SELECT payload FROM event WHERE payload LIKE '%bench-%'");
        return new Queue(connection, payload);
    }

    String payload() {
        return payload;
    }

    /** Makes consecutively numbered events of a type in one transaction. */
    void produce(String type, int firstNumber, int events) throws SQLException {
        connection.setAutoCommit(false);
        update(PRODUCE, organization, type, payload, firstNumber, events);
        execute("SELECT pg_notify('okr_deliveries', 'bench')");
        connection.commit();
        connection.setAutoCommit(true);
    }

    /** Fills the endpoint queues of webhooks evenly. Half of the deliveries are ready, half wait for a retry. */
    void fill(List<UUID> ready, List<UUID> waiting, String type, int depth) throws SQLException {
        int events = depth / (ready.size() + waiting.size());
        update(EVENTS, organization, type, payload, events);
        update(READY, uuids(ready), type);
        update(WAITING, uuids(waiting), type);
        execute(LANES);
    }

    /** Does what autovacuum does about once a minute. */
    void analyze() throws SQLException {
        execute("VACUUM (ANALYZE) delivery_pending, delivery_lane, event");
    }

    /** Disables autovacuum for the queue. */
    void stopVacuum() throws SQLException {
        execute("ALTER TABLE delivery_pending SET (autovacuum_enabled = off)");
        execute("ALTER TABLE delivery_lane SET (autovacuum_enabled = off)");
    }

    /** Deletes all pending deliveries, and the events of a type. */
    void empty(String type) throws SQLException {
        execute("TRUNCATE delivery_pending, delivery_lane");
        update("DELETE FROM event WHERE type = ?", type);
        execute("VACUUM event");
    }

    void emptyAll() throws SQLException {
        execute("TRUNCATE delivery, delivery_lane, delivery_attempt, outbox, event");
    }

    /** Finishes claimed deliveries and adds as many new ones. */
    void replace(List<UUID> claimed, String type, int perEndpoint) throws SQLException {
        update(REPLACE, organization, uuids(claimed), organization, type, payload, perEndpoint);
    }

    long pending() throws SQLException {
        return Long.parseLong(text("SELECT count(*) FROM delivery_pending"));
    }

    long recorded() throws SQLException {
        return Long.parseLong(text("SELECT count(*) FROM delivery_succeeded"));
    }

    void startStatistics() throws SQLException {
        execute("CREATE EXTENSION IF NOT EXISTS pg_stat_statements");
        execute("SELECT pg_stat_statements_reset()");
    }

    /** The statements with the most database time. */
    String statistics() throws SQLException {
        var lines = new ArrayList<String>();
        lines.add("    total ms    calls  mean ms     rows  statement");
        try (var statement = connection.createStatement();
                var rows = statement.executeQuery("""
                        SELECT total_exec_time, calls, mean_exec_time, rows,
                            left(regexp_replace(query, '\\s+', ' ', 'g'), 100) AS query
                        FROM pg_stat_statements ORDER BY total_exec_time DESC LIMIT 12
                        """)) {
            while (rows.next()) {
                lines.add(Report.format(
                        "%12.0f %8d %8.2f %8d  %s",
                        rows.getDouble("total_exec_time"),
                        rows.getLong("calls"),
                        rows.getDouble("mean_exec_time"),
                        rows.getLong("rows"),
                        rows.getString("query")));
            }
        }
        return String.join("\n", lines);
    }

    private String text(String sql) throws SQLException {
        try (var statement = connection.createStatement();
                var rows = statement.executeQuery(sql)) {
            rows.next();
            return rows.getString(1);
        }
    }

    private void execute(String sql) throws SQLException {
        try (var statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private void update(String sql, Object... parameters) throws SQLException {
        try (var statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < parameters.length; i++) {
                statement.setObject(i + 1, parameters[i]);
            }
            statement.executeUpdate();
        }
    }

    private Object uuids(List<UUID> ids) throws SQLException {
        return connection.createArrayOf("uuid", ids.toArray());
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }
}
