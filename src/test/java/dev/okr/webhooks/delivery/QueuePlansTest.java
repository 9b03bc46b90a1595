package dev.okr.webhooks.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.platform.time.UtcClock;
import dev.okr.platform.transactions.DatabaseClock;
import dev.okr.platform.transactions.OrganizationSearch;
import dev.okr.webhooks.SenderSettings;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.flywaydb.core.Flyway;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Every statement of the queue reads about the same number of pages, whatever statistics PostgreSQL has of the tables.
 * The queue has a million deliveries. One organisation has most of them.
 */
@Tag("waits")
class QueuePlansTest {
    private static final double MAX_RATIO = 1.5;

    /**
     * The allowed difference for statements that read few pages. The webhooks and lanes of an organisation have about
     * this many pages. The pages of all calls of a statement are added.
     */
    private static final int FEW_PAGES = 200;

    private static final UUID BIG = new UUID(1, 0);
    private static final UUID SMALL = new UUID(2, 7);

    private static final String ORGANIZATIONS = """
            INSERT INTO organization (id, slug, name, plan, created_at)
            SELECT id, 'o' || row_number() OVER (), 'Acme', 'free', now()
            FROM (SELECT ? AS id UNION ALL
                SELECT ('00000000-0000-0002-0000-' || lpad(to_hex(n), 12, '0'))::uuid FROM generate_series(1, 50) n) t
            """;
    private static final String WEBHOOKS = """
            INSERT INTO webhook (organization_id, id, url, events, active, secret_key_id, secret_ciphertext,
                created_at, updated_at)
            SELECT o.id, uuid_v7(now() + n * interval '1 millisecond'), 'https://example.com/', ARRAY ['*'], true, 'k',
                '', CASE WHEN o.id = '00000000-0000-0001-0000-000000000000' THEN now() - interval '1 hour' ELSE now() END,
                now()
            FROM organization o, generate_series(1, CASE WHEN o.id = ? THEN 400 ELSE 5 END) n
            """;
    private static final String EVENTS = """
            INSERT INTO event (organization_id, id, type, resource_id, created_at, payload)
            SELECT o.id, uuid_v7(now() - interval '1 day' + n * interval '1 second'), 'cycle.created', 'cyc', now(),
                '{}'
            FROM organization o, generate_series(1, CASE WHEN o.id = ? THEN 2475 ELSE 40 END) n
            """;
    private static final String OLD_EVENTS = """
            INSERT INTO event (organization_id, id, type, resource_id, created_at, payload)
            SELECT o.id, uuid_v7(now() - interval '60 days' + n * interval '1 second'), 'cycle.deleted', 'cyc', now(),
                '{}'
            FROM organization o, generate_series(1, 20) n
            """;

    /** Nine in ten are ready. The others wait for a retry, and every second one of those is due. */
    private static final String DELIVERIES = """
            INSERT INTO delivery (organization_id, id, webhook_id, event_id, status, attempts, retries, ready, due_at,
                created_at, updated_at)
            SELECT e.organization_id, uuidv7(), w.id, e.id, 'pending', 0, 0, n % 10 > 0,
                CASE WHEN n % 10 = 0 THEN now() + (n % 20 - 5) * interval '1 hour' END, e.created_at, e.created_at
            FROM (SELECT *, row_number() OVER (PARTITION BY organization_id ORDER BY id) AS n
                FROM event WHERE type = 'cycle.created') e
            JOIN webhook w USING (organization_id) WHERE e.n BETWEEN ? AND ?
            """;

    private static final String FINISHED = """
            INSERT INTO delivery (organization_id, id, webhook_id, event_id, status, attempts, retries, ready,
                created_at, updated_at)
            SELECT e.organization_id, uuidv7(interval '-40 days'), w.id, e.id,
                CASE WHEN n % 2 = 0 THEN 'succeeded' ELSE 'failed' END, 1, 0, false, now(), now()
            FROM (SELECT *, row_number() OVER (PARTITION BY organization_id ORDER BY id) AS n
                FROM event WHERE type = 'cycle.deleted') e
            JOIN webhook w USING (organization_id) WHERE e.n <= 19
            """;
    private static final String REST = """
            INSERT INTO delivery_attempt (organization_id, delivery_id, id, attempted_at, duration_ms, status_code)
            SELECT organization_id, id, id, now(), 1, 200 FROM delivery WHERE status <> 'pending';
            INSERT INTO delivery_lane (organization_id, webhook_id, due_at, failing)
            SELECT organization_id, id, created_at - interval '1 hour', false FROM webhook;
            INSERT INTO outbox (organization_id, event_id, type)
            SELECT organization_id, id, type FROM event WHERE type = 'cycle.created'
            """;

    /** One webhook is deactivated, one is deleted and one recovers. */
    private static final String HOUSEKEEPING = """
            UPDATE webhook w SET active = n > 2, cancel_until = CASE WHEN n = 1 THEN now() END,
                deleted_at = CASE WHEN n = 2 THEN now() - interval '1 hour' END,
                recovery_after = CASE WHEN n = 3 THEN '00000000-0000-0000-0000-000000000000'::uuid END,
                recovery_until = CASE WHEN n = 3 THEN uuid_v7(now()) END
            FROM (SELECT id, row_number() OVER (ORDER BY id) AS n FROM webhook WHERE organization_id = ?) t
            WHERE w.id = t.id AND n <= 3
            """;

    /** Statements that set the statistics that PostgreSQL has of the tables. */
    private static final Map<String, String> STATISTICS = new LinkedHashMap<>();

    static {
        // Taken when each webhook had ten deliveries.
        STATISTICS.put("stale", "SELECT 1");
        // Taken when the tables were empty. An index always has a page.
        STATISTICS.put("empty", """
                UPDATE pg_class SET relpages = CASE relkind WHEN 'i' THEN 1 ELSE 0 END, reltuples = 0
                WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'i', 'p');
                DELETE FROM pg_statistic WHERE starelid > 16384
                """);
        // Never taken, as after a restore.
        STATISTICS.put("none", """
                UPDATE pg_class SET relpages = 0, reltuples = -1
                WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'i', 'p');
                DELETE FROM pg_statistic WHERE starelid > 16384
                """);
        STATISTICS.put("fresh", "ANALYZE");
    }

    private final UtcClock clock = new UtcClock();

    @Test
    void every_statement_has_one_plan() throws Exception {
        try (var server = EmbeddedPostgres.builder()
                .setServerConfig("autovacuum", "off")
                .setServerConfig("fsync", "off")
                .setServerConfig("shared_buffers", "512MB")
                .setServerConfig("max_wal_size", "8GB")
                .setServerConfig("full_page_writes", "off")
                .setServerConfig("wal_level", "minimal")
                .setServerConfig("max_wal_senders", "0")
                .start()) {
            var main = server.getJdbcUrl("postgres", "postgres");
            execute(main, "CREATE DATABASE filled");
            fill(server.getJdbcUrl("postgres", "filled"));
            var executions = new LinkedHashMap<String, List<ExplainedDatabase.Execution>>();
            for (var statistics : STATISTICS.entrySet()) {
                // A rollback would leave dead rows for the next run.
                var copy = statistics.getKey();
                execute(main, "CREATE DATABASE " + copy + " TEMPLATE filled STRATEGY file_copy");
                var url = server.getJdbcUrl("postgres", copy);
                execute(url, statistics.getValue());
                executions.put(copy, runEverything(url));
            }
            assertThat(slow(executions))
                    .as("pages read with different statistics")
                    .isEmpty();
        }
    }

    /** The statements that read many more pages with some statistics, with their plans. */
    private static List<String> slow(Map<String, List<ExplainedDatabase.Execution>> executions) {
        var pages = new LinkedHashMap<String, Map<String, Long>>();
        var plans = new LinkedHashMap<String, String>();
        executions.forEach((statistics, list) -> list.forEach(execution -> {
            var statement = execution.statement();
            pages.computeIfAbsent(statement, key -> new LinkedHashMap<>())
                    .merge(statistics, execution.pages(), Long::sum);
            plans.merge(statistics + statement, execution.plan(), (first, second) -> first);
        }));
        assertThat(pages).hasSizeGreaterThan(25);
        var slow = new ArrayList<String>();
        pages.forEach((statement, read) -> {
            long least = read.values().stream().mapToLong(each -> each).min().orElseThrow();
            read.forEach((statistics, most) -> {
                if (most > MAX_RATIO * least + FEW_PAGES) {
                    slow.add(read + " " + statistics + ": " + plans.get(statistics + statement));
                }
            });
        });
        return slow;
    }

    /** Runs each statement of the queue, and takes back all changes. */
    private List<ExplainedDatabase.Execution> runEverything(String url) throws SQLException {
        try (var explained = new ExplainedDatabase(url + "&stringtype=unspecified")) {
            var search = new OrganizationSearch(explained.dataSource());
            var database =
                    new QueueDatabase(explained.dataSource(), new DatabaseClock(explained.dataSource(), clock), search);
            var settings = new DeliverySettings(
                    new SenderSettings(Duration.ofSeconds(15), 512, Optional.empty(), Optional.empty(), "okr", "1"),
                    List.of(Duration.ofSeconds(5)),
                    8,
                    true,
                    Duration.ofDays(30));
            var claims = new Claims(database, settings);
            var visits = new Visits(database, new FanOut(database, clock), claims);
            var slots = new Slots(65_536, 8);
            var found = visits.find(OrganizationSearch.FIRST, List.of(), List.of(), slots)
                    .work();
            var big = workOf(BIG, found);
            assertThat(big.lanes()).hasSizeGreaterThan(300);
            var claimed = visits.visit(
                            new Visits.Work(BIG, big.events(), big.lanes().subList(0, 100), big.foundAt()), true, slots)
                    .claimed();
            assertThat(claimed).hasSizeGreaterThan(700);
            var small = workOf(SMALL, found);
            visits.visit(new Visits.Work(SMALL, small.events(), List.of(), small.foundAt()), true, slots);
            claims.release(BIG, claimed.subList(400, claimed.size()));
            record(database, claimed.subList(0, 400));
            var wakeUp = new WakeUp();
            var metrics = new DeliveryMetrics(database, new SimpleMeterRegistry());
            new Housekeeping(database, clock, new RecoveryBatch(database, clock), wakeUp, settings).processWebhooks();
            new LaneRepair(database, clock, wakeUp, metrics).run();
            new Pruner(database, settings).prune();
            metrics.sample();
            return explained.executions();
        }
    }

    private static Visits.Work workOf(UUID organization, List<Visits.Work> found) {
        return found.stream()
                .filter(work -> work.organizationId().equals(organization))
                .findFirst()
                .orElseThrow();
    }

    private void record(QueueDatabase database, List<Attempt> claimed) throws SQLException {
        var made = new ArrayList<Attempt.Made>();
        for (int i = 0; i < claimed.size(); i++) {
            int status = i == 0 ? 410 : i % 4 == 0 ? 500 : 200;
            made.add(Deliveries.made(claimed.get(i), Instant.now(), Deliveries.status(status)));
        }
        new AttemptLog(database, clock).write(BIG, made);
    }

    private static void fill(String url) throws SQLException {
        Flyway.configure().dataSource(url, null, null).load().migrate();
        execute(url, ORGANIZATIONS, BIG);
        execute(url, WEBHOOKS, BIG);
        execute(url, EVENTS, BIG);
        execute(url, OLD_EVENTS);
        execute(url, DELIVERIES, 1, 10);
        execute(url, "ANALYZE");
        // Foreign keys would be checked a million times.
        execute(url + "&options=-c%20session_replication_role=replica", DELIVERIES, 11, 1_000_000);
        execute(url, FINISHED);
        execute(url, REST);
        execute(url, HOUSEKEEPING, BIG);
        execute(url, "CHECKPOINT");
    }

    private static void execute(String url, String sql, Object... parameters) throws SQLException {
        try (var connection = DriverManager.getConnection(url);
                var statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < parameters.length; i++) {
                statement.setObject(i + 1, parameters[i]);
            }
            statement.execute();
        }
    }
}
