package dev.okr.webhooks.delivery;

import dev.okr.platform.http.EnumNames;
import dev.okr.platform.ids.UuidV7;
import dev.okr.platform.time.UtcClock;
import dev.okr.platform.transactions.Sql;
import io.agroal.api.AgroalDataSource;
import jakarta.enterprise.context.ApplicationScoped;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * Records batches of attempts, each batch in one transaction: the attempts themselves, what they say of the webhooks,
 * and what becomes of the deliveries.
 */
@ApplicationScoped
class AttemptLog {

    private static final String INSERT_ATTEMPTS = """
            INSERT INTO delivery_attempt
                (organization_id, delivery_id, id, attempted_at, duration_ms, status_code, error, response)
            SELECT * FROM unnest(?::uuid[], ?::uuid[], ?::uuid[], ?::timestamptz[], ?::int[], ?::int[], ?::text[],
                ?::text[])
            ON CONFLICT DO NOTHING
            """;

    // Whichever claim it was made under: it has arrived, and need not be sent again.
    private static final String SUCCEED = """
            UPDATE delivery d SET status = 'succeeded', attempts = d.attempts + 1, ready = false, due_at = NULL,
                claim = NULL, updated_at = r.at
            FROM unnest(?::uuid[], ?::uuid[], ?::timestamptz[]) AS r (organization_id, id, at)
            WHERE d.status = 'pending' AND d.organization_id = r.organization_id AND d.id = r.id
            """;

    // Only under the claim that it was made under: of a lost claim, the replica that took over decides.
    private static final String FAIL = """
            UPDATE delivery d SET attempts = d.attempts + 1, retries = d.retries + 1, ready = false, claim = NULL,
                updated_at = r.at,
                status = CASE WHEN r.reason IS NULL AND w.active THEN 'pending' ELSE 'failed' END,
                due_at = CASE WHEN r.reason IS NULL AND w.active THEN r.due_at END,
                failure_reason = CASE WHEN r.reason IS NOT NULL OR w.active THEN r.reason ELSE 'deactivated' END
            FROM unnest(?::uuid[], ?::uuid[], ?::uuid[], ?::timestamptz[], ?::timestamptz[], ?::text[])
                AS r (organization_id, id, claim, at, due_at, reason), webhook w
            WHERE d.status = 'pending' AND d.organization_id = r.organization_id AND d.id = r.id AND d.claim = r.claim
                AND w.organization_id = d.organization_id AND w.id = d.webhook_id
            """;

    private final AgroalDataSource database;
    private final UtcClock clock;
    private final RetrySchedule schedule;

    AttemptLog(AgroalDataSource database, UtcClock clock, DeliverySettings settings) {
        this.database = database;
        this.clock = clock;
        this.schedule = new RetrySchedule(
                settings.retrySchedule(), () -> ThreadLocalRandom.current().nextDouble());
    }

    /**
     * An attempt and what it means.
     *
     * @param attemptId the same however often it is written: a commit whose answer is lost is tried again
     */
    record Judged(UUID attemptId, AttemptResult result, Verdict verdict) {
        UUID organizationId() {
            return result.delivery().organizationId();
        }

        UUID deliveryId() {
            return result.delivery().id();
        }
    }

    /** Decides what an attempt means, with the jitter that is drawn once. */
    Judged judge(AttemptResult result) {
        return new Judged(UuidV7.at(result.attemptedAt()), result, Verdict.of(result, schedule));
    }

    /** Writes a batch, all of it or nothing. */
    void write(List<Judged> batch) throws SQLException {
        var now = clock.now();
        QueueTransaction.runAt(database, (sql, databaseNow) -> {
            // Read behind the database's, not before it: the wait for a connection is no difference of the clocks.
            var ahead = Duration.between(clock.now(), clock.shared(databaseNow));
            insertAttempts(sql, batch);
            WebhookFailures.update(
                    sql, EndpointHealth.of(batch.stream().map(Judged::result).toList()), now);
            succeed(sql, batch, now);
            fail(sql, batch, now, ahead);
            return batch.size();
        });
    }

    private static void insertAttempts(Sql sql, List<Judged> batch) throws SQLException {
        var durations = new ArrayList<Integer>();
        var statuses = new ArrayList<@Nullable Integer>();
        var errors = new ArrayList<@Nullable String>();
        var responses = new ArrayList<@Nullable String>();
        for (var judged : batch) {
            var outcome = judged.result().outcome();
            durations.add(Math.toIntExact(outcome.duration().toMillis()));
            statuses.add(outcome.statusCode());
            errors.add(outcome.error());
            responses.add(outcome.response());
        }
        sql.update(
                INSERT_ATTEMPTS,
                batch.stream().map(Judged::organizationId).toList(),
                batch.stream().map(Judged::deliveryId).toList(),
                batch.stream().map(Judged::attemptId).toList(),
                batch.stream().map(judged -> judged.result().attemptedAt()).toList(),
                durations,
                statuses,
                errors,
                responses);
    }

    private static void succeed(Sql sql, List<Judged> batch, Instant now) throws SQLException {
        var succeeded = batch.stream()
                .filter(judged -> judged.verdict() instanceof Verdict.Succeeded)
                .toList();
        if (!succeeded.isEmpty()) {
            sql.update(
                    SUCCEED,
                    succeeded.stream().map(Judged::organizationId).toList(),
                    succeeded.stream().map(Judged::deliveryId).toList(),
                    succeeded.stream().map(judged -> now).toList());
        }
    }

    /** @param ahead how far the clock that all replicas share is ahead of this one's: it decides what is due */
    private static void fail(Sql sql, List<Judged> batch, Instant now, Duration ahead) throws SQLException {
        var failed = batch.stream()
                .filter(judged -> !(judged.verdict() instanceof Verdict.Succeeded))
                .toList();
        if (failed.isEmpty()) {
            return;
        }
        var dueAt = new ArrayList<@Nullable Instant>();
        var reasons = new ArrayList<@Nullable String>();
        for (var judged : failed) {
            dueAt.add(judged.verdict() instanceof Verdict.Retry(var due) ? due.plus(ahead) : null);
            reasons.add(judged.verdict() instanceof Verdict.GivenUp(var reason) ? EnumNames.format(reason) : null);
        }
        sql.update(
                FAIL,
                failed.stream().map(Judged::organizationId).toList(),
                failed.stream().map(Judged::deliveryId).toList(),
                failed.stream()
                        .map(judged -> judged.result().delivery().claim())
                        .toList(),
                failed.stream().map(judged -> now).toList(),
                dueAt,
                reasons);
    }
}
