package dev.okr.webhooks.delivery;

import dev.okr.platform.transactions.Sql;
import dev.okr.platform.transactions.SqlFailures;
import dev.okr.webhooks.AttemptOutcome;
import io.agroal.api.AgroalDataSource;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.quarkus.scheduler.Scheduled;
import jakarta.enterprise.context.ApplicationScoped;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.jboss.logging.Logger;

/** The metrics of deliveries. No tag names a webhook or a host, since their number is unlimited. */
@ApplicationScoped
class DeliveryMetrics {
    private static final Logger LOG = Logger.getLogger(DeliveryMetrics.class);
    private static final Duration[] BUCKETS = {
        Duration.ofMillis(5),
        Duration.ofMillis(10),
        Duration.ofMillis(25),
        Duration.ofMillis(50),
        Duration.ofMillis(100),
        Duration.ofMillis(250),
        Duration.ofMillis(500),
        Duration.ofSeconds(1),
        Duration.ofMillis(2_500),
        Duration.ofSeconds(5),
        Duration.ofSeconds(15),
    };

    /**
     * The depth is counted exactly up to this number. Above it, the depth is the estimate from the table's statistics.
     * It also limits the number of endpoint queues that a query reads.
     */
    private static final int MAX_COUNTED = 10_000;

    private static final String DEPTH = """
            /* all organizations */
            SELECT CASE WHEN counted <= ? THEN counted ELSE greatest(counted, (
                SELECT reltuples::bigint FROM pg_class WHERE oid = 'delivery_pending'::regclass)) END AS depth
            FROM (SELECT count(*) AS counted FROM (
                SELECT FROM delivery_pending LIMIT ? + 1) pending) t
            """;

    // The age of the oldest pending delivery. A skip scan over the index finds the oldest delivery of each endpoint
    // queue. As in DeliveryQueue, the query names the partition for the planner.
    private static final String OLDEST = """
            WITH RECURSIVE endpoint AS (
                (SELECT organization_id, webhook_id, created_at FROM delivery_pending
                    ORDER BY organization_id, webhook_id, id LIMIT 1)
                UNION ALL
                SELECT next.* FROM endpoint CROSS JOIN LATERAL (
                    SELECT d.organization_id, d.webhook_id, d.created_at FROM delivery_pending d
                    WHERE (d.organization_id, d.webhook_id) > (endpoint.organization_id, endpoint.webhook_id)
                    ORDER BY d.organization_id, d.webhook_id, d.id LIMIT 1) next)
            SELECT coalesce(extract(epoch FROM now() - min(created_at)), 0) AS seconds
            FROM (SELECT created_at FROM endpoint LIMIT ?) t
            """;

    // The age of the oldest delivery that waits for its first attempt, without those of failing webhooks. Retries and
    // failing webhooks wait on purpose. The query reads only the head of each endpoint queue, with the same skip scan
    // as DeliveryQueue.
    private static final String WAITING = """
            WITH RECURSIVE endpoint AS (
                (SELECT organization_id, webhook_id, created_at, attempts FROM delivery_pending
                    WHERE ready ORDER BY organization_id, webhook_id, event_id LIMIT 1)
                UNION ALL
                SELECT next.* FROM endpoint CROSS JOIN LATERAL (
                    SELECT d.organization_id, d.webhook_id, d.created_at, d.attempts FROM delivery_pending d
                    WHERE d.ready
                        AND (d.organization_id, d.webhook_id) > (endpoint.organization_id, endpoint.webhook_id)
                    ORDER BY d.organization_id, d.webhook_id, d.event_id LIMIT 1) next)
            SELECT coalesce(extract(epoch FROM now() - min(l.created_at)), 0) AS seconds
            FROM (SELECT * FROM endpoint LIMIT ?) l
            JOIN webhook w ON w.organization_id = l.organization_id AND w.id = l.webhook_id
            WHERE l.attempts = 0 AND w.active AND w.failing_since IS NULL
            """;

    private final AgroalDataSource database;
    private final MeterRegistry registry;
    private final Timer firstAttempts;
    private final AtomicLong depth = new AtomicLong();
    private final AtomicLong oldestSeconds = new AtomicLong();
    private final AtomicLong waitingSeconds = new AtomicLong();

    DeliveryMetrics(AgroalDataSource database, MeterRegistry registry) {
        this.database = database;
        this.registry = registry;
        this.firstAttempts = Timer.builder("okr.webhook.first.attempt.delay")
                .description("The time from an event, just before its commit, to the first attempt of a delivery")
                .serviceLevelObjectives(BUCKETS)
                .register(registry);
        registry.gauge("okr.webhook.queue.depth", depth);
        registry.gauge("okr.webhook.queue.oldest.age.seconds", oldestSeconds);
        registry.gauge("okr.webhook.queue.waiting.age.seconds", waitingSeconds);
    }

    void firstAttempt(Duration delay) {
        firstAttempts.record(delay.isNegative() ? Duration.ZERO : delay);
    }

    void attempted(AttemptOutcome outcome) {
        Timer.builder("okr.webhook.attempt")
                .description("Attempts, by outcome")
                .tag("outcome", outcome(outcome))
                .serviceLevelObjectives(BUCKETS)
                .register(registry)
                .record(outcome.duration());
    }

    /** Counts the verdict on an attempt. */
    void judged(Verdict verdict) {
        var outcome = switch (verdict) {
            case Verdict.Succeeded succeeded -> "succeeded";
            case Verdict.Retry retry -> "retried";
            case Verdict.GivenUp givenUp -> "failed";
        };
        Counter.builder("okr.webhook.deliveries")
                .description("Judged attempts, by the resulting state of the delivery")
                .tag("outcome", outcome)
                .register(registry)
                .increment();
    }

    @Scheduled(every = "15s", concurrentExecution = Scheduled.ConcurrentExecution.SKIP)
    void sample() {
        try (var connection = database.getConnection()) {
            var sql = new Sql(connection);
            depth.set(sql.first(row -> row.getLong("depth"), DEPTH, MAX_COUNTED, MAX_COUNTED)
                    .orElse(0L));
            oldestSeconds.set(seconds(sql, OLDEST));
            waitingSeconds.set(seconds(sql, WAITING));
        } catch (SQLException e) {
            LOG.debugf("cannot measure the delivery queue: %s", SqlFailures.reason(e));
        }
    }

    private static long seconds(Sql sql, String query) throws SQLException {
        return sql.first(row -> row.getLong("seconds"), query, MAX_COUNTED).orElse(0L);
    }

    private static String outcome(AttemptOutcome outcome) {
        if (outcome.succeeded()) {
            return "succeeded";
        }
        var status = outcome.statusCode();
        return outcome.error() != null || status == null
                ? String.valueOf(outcome.error())
                : "http_" + status / 100 + "xx";
    }
}
