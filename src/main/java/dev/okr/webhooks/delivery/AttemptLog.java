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
 * Writes batches of attempts, each batch in one transaction. It inserts the attempts and updates the webhooks and the
 * deliveries.
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

    // A success counts under any claim, because the event has arrived.
    private static final String SUCCEED = """
            UPDATE delivery d SET status = 'succeeded', attempts = d.attempts + 1, ready = false, due_at = NULL,
                claim = NULL, updated_at = r.at
            FROM unnest(?::uuid[], ?::uuid[], ?::timestamptz[]) AS r (organization_id, id, at)
            WHERE d.status = 'pending' AND d.organization_id = r.organization_id AND d.id = r.id
            """;

    // A failure counts only under the current claim. If the claim was lost, the replica that holds the new claim
    // decides.
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
     * An attempt and its verdict.
     *
     * @param attemptId the same each time the batch is written, so that a repeated write does not insert the attempt
     *     twice
     */
    record JudgedAttempt(UUID attemptId, AttemptResult result, Verdict verdict) {
        UUID organizationId() {
            return result.delivery().organizationId();
        }

        UUID deliveryId() {
            return result.delivery().id();
        }
    }

    /** Judges an attempt. Call it once for each attempt, because the time of a retry is random. */
    JudgedAttempt judge(AttemptResult result) {
        return new JudgedAttempt(UuidV7.at(result.attemptedAt()), result, Verdict.of(result, schedule));
    }

    /** Writes a batch in one transaction. */
    void write(List<JudgedAttempt> batch) throws SQLException {
        var now = clock.now();
        QueueTransaction.runAt(database, (sql, databaseNow) -> {
            // The local clock is read here, directly after the database's clock. An earlier time would add the wait for
            // a connection to the offset.
            var clockOffset = Duration.between(clock.now(), clock.shared(databaseNow));
            insertAttempts(sql, batch);
            WebhookFailures.update(
                    sql,
                    EndpointHealth.of(batch.stream().map(JudgedAttempt::result).toList()),
                    now);
            succeed(sql, batch, now);
            fail(sql, batch, now, clockOffset);
            return batch.size();
        });
    }

    private static void insertAttempts(Sql sql, List<JudgedAttempt> batch) throws SQLException {
        var durations = new ArrayList<Integer>();
        var statuses = new ArrayList<@Nullable Integer>();
        var errors = new ArrayList<@Nullable String>();
        var responses = new ArrayList<@Nullable String>();
        for (var attempt : batch) {
            var outcome = attempt.result().outcome();
            durations.add(Math.toIntExact(outcome.duration().toMillis()));
            statuses.add(outcome.statusCode());
            errors.add(outcome.error());
            responses.add(outcome.response());
        }
        sql.update(
                INSERT_ATTEMPTS,
                batch.stream().map(JudgedAttempt::organizationId).toList(),
                batch.stream().map(JudgedAttempt::deliveryId).toList(),
                batch.stream().map(JudgedAttempt::attemptId).toList(),
                batch.stream().map(attempt -> attempt.result().attemptedAt()).toList(),
                durations,
                statuses,
                errors,
                responses);
    }

    private static void succeed(Sql sql, List<JudgedAttempt> batch, Instant now) throws SQLException {
        var succeeded = batch.stream()
                .filter(attempt -> attempt.verdict() instanceof Verdict.Succeeded)
                .toList();
        if (!succeeded.isEmpty()) {
            sql.update(
                    SUCCEED,
                    succeeded.stream().map(JudgedAttempt::organizationId).toList(),
                    succeeded.stream().map(JudgedAttempt::deliveryId).toList(),
                    succeeded.stream().map(attempt -> now).toList());
        }
    }

    /**
     * @param clockOffset how far the database's clock is ahead of this replica's clock. The database's clock decides
     *     when a retry is due.
     */
    private static void fail(Sql sql, List<JudgedAttempt> batch, Instant now, Duration clockOffset)
            throws SQLException {
        var failed = batch.stream()
                .filter(attempt -> !(attempt.verdict() instanceof Verdict.Succeeded))
                .toList();
        if (failed.isEmpty()) {
            return;
        }
        var dueAt = new ArrayList<@Nullable Instant>();
        var reasons = new ArrayList<@Nullable String>();
        for (var attempt : failed) {
            dueAt.add(attempt.verdict() instanceof Verdict.Retry(var due) ? due.plus(clockOffset) : null);
            reasons.add(attempt.verdict() instanceof Verdict.GivenUp(var reason) ? EnumNames.format(reason) : null);
        }
        sql.update(
                FAIL,
                failed.stream().map(JudgedAttempt::organizationId).toList(),
                failed.stream().map(JudgedAttempt::deliveryId).toList(),
                failed.stream()
                        .map(attempt -> attempt.result().delivery().claim())
                        .toList(),
                failed.stream().map(attempt -> now).toList(),
                dueAt,
                reasons);
    }
}
