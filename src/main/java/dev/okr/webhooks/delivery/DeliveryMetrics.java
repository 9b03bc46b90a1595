package dev.okr.webhooks.delivery;

import dev.okr.platform.transactions.Sql;
import dev.okr.platform.transactions.SqlFailures;
import dev.okr.webhooks.AttemptOutcome;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.quarkus.scheduler.Scheduled;
import jakarta.enterprise.context.ApplicationScoped;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * The metrics of deliveries. No tag names a webhook or a host, since their number is unlimited. The metrics of the
 * queue leave out the organisations of unreachable workers. Another metric counts these workers.
 */
@ApplicationScoped
class DeliveryMetrics {
    private static final Logger LOG = Logger.getLogger(DeliveryMetrics.class);
    private static final Duration[] BUCKETS = LongStream.of(5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 15_000)
            .mapToObj(Duration::ofMillis)
            .toArray(Duration[]::new);

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
                SELECT 1 FROM delivery_pending WHERE %s true ORDER BY organization_id, id LIMIT ? + 1) pending) t
            """;

    // The time since which the oldest delivery has waited for its first attempt. Failing lanes are excluded, because
    // their deliveries wait on purpose. A lane that was not visited yet has only due_at.
    private static final String WAITING = """
            /* all organizations */
            SELECT min(least(waiting_at, due_at)) AS waiting
            FROM (SELECT waiting_at, due_at FROM delivery_lane WHERE %s failing = false ORDER BY due_at LIMIT ?) lanes
            """;

    private static final String SET_ASIDE = """
            /* all organizations */
            SELECT count(*) AS events
            FROM (SELECT 1 FROM outbox WHERE %s failures > 0 AND failures >= ? LIMIT ?) set_aside
            """;

    private final QueueDatabase database;
    private final MeterRegistry registry;
    private final Timer firstAttempts;
    private final AtomicLong depth = new AtomicLong();
    private final AtomicLong oldestSeconds = new AtomicLong();
    private final AtomicLong waitingSeconds = new AtomicLong();
    private final AtomicLong setAside = new AtomicLong();

    DeliveryMetrics(QueueDatabase database, MeterRegistry registry) {
        this.database = database;
        this.registry = registry;
        this.firstAttempts = Timer.builder("okr.webhook.first.attempt.delay")
                .description("The time from an event, just before its commit, to the first attempt of a delivery")
                .serviceLevelObjectives(BUCKETS)
                .register(registry);
        registry.gauge("okr.webhook.queue.depth", depth);
        registry.gauge("okr.webhook.queue.oldest.age.seconds", oldestSeconds);
        registry.gauge("okr.webhook.queue.waiting.age.seconds", waitingSeconds);
        registry.gauge("okr.webhook.events.set.aside", setAside);
    }

    /** @param age of the oldest pending delivery */
    void oldest(Duration age) {
        oldestSeconds.set(Math.max(0, age.toSeconds()));
    }

    void firstAttempt(Duration delay) {
        firstAttempts.record(delay.isNegative() ? Duration.ZERO : delay);
    }

    void made(Attempt.Made made) {
        var outcome = made.outcome();
        Timer.builder("okr.webhook.attempt")
                .description("Attempts, by outcome")
                .tag("outcome", outcome(outcome))
                .serviceLevelObjectives(BUCKETS)
                .register(registry)
                .record(outcome.duration());
        var state = switch (made.verdict()) {
            case Verdict.Succeeded succeeded -> "succeeded";
            case Verdict.Retry retry -> "retried";
            case Verdict.GivenUp givenUp -> "failed";
        };
        Counter.builder("okr.webhook.deliveries")
                .description("Judged attempts, by the resulting state of the delivery")
                .tag("outcome", state)
                .register(registry)
                .increment();
    }

    @Scheduled(every = "15s", concurrentExecution = Scheduled.ConcurrentExecution.SKIP)
    void sample() {
        try {
            var organizations = database.organizations();
            depth.set(sum(organizations.run((sql, condition) ->
                    sql.list(row -> row.getLong("depth"), DEPTH.formatted(condition), MAX_COUNTED, MAX_COUNTED))));
            setAside.set(sum(organizations.run((sql, condition) -> sql.list(
                    row -> row.getLong("events"), SET_ASIDE.formatted(condition), FanOut.MAX_FAILURES, MAX_COUNTED))));
            waitingSeconds.set(organizations
                    .run((sql, condition) -> {
                        var now = database.now(sql);
                        return sql.list(
                                row -> age(Sql.instantOrNull(row, "waiting"), now),
                                WAITING.formatted(condition),
                                MAX_COUNTED);
                    })
                    .stream()
                    .mapToLong(age -> age)
                    .max()
                    .orElse(0));
        } catch (SQLException e) {
            LOG.debugf("The delivery queue was not measured. The next run tries again: %s", SqlFailures.reason(e));
        }
    }

    /** Adds the counts of the workers of a distributed schema. */
    private static long sum(List<Long> counts) {
        return counts.stream().mapToLong(count -> count).sum();
    }

    /** Zero for a time in the future, such as that of a retry. */
    private static long age(@Nullable Instant since, Instant now) {
        return since == null ? 0 : Math.max(0, Duration.between(since, now).toSeconds());
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
