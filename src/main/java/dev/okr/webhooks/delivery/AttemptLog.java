package dev.okr.webhooks.delivery;

import dev.okr.platform.http.EnumNames;
import dev.okr.platform.time.UtcClock;
import dev.okr.platform.transactions.Sql;
import jakarta.enterprise.context.ApplicationScoped;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Writes attempts of one organisation in one transaction: the attempts, the health of the webhooks, and the state of
 * the deliveries.
 */
@ApplicationScoped
class AttemptLog {
    private static final String INSERT_ATTEMPTS = """
            INSERT INTO delivery_attempt
                (organization_id, delivery_id, id, attempted_at, duration_ms, status_code, error, response)
            VALUES %s ON CONFLICT DO NOTHING
            """;

    // A success counts under any claim, because the event has arrived.
    private static final String SUCCEED = """
            UPDATE delivery SET status = 'succeeded', attempts = attempts + 1, ready = false, due_at = NULL,
                claim = NULL, updated_at = ?
            WHERE status = 'pending' AND organization_id = ? AND id = ANY (?)
            """;

    // A failure counts only under the current claim. After a lost claim, the replica that holds the new claim decides.
    private static final String FAIL = """
            UPDATE delivery d SET attempts = d.attempts + 1, retries = d.retries + 1, ready = false, claim = NULL,
                updated_at = ?,
                status = CASE WHEN r.reason IS NULL AND w.active THEN 'pending' ELSE 'failed' END,
                due_at = CASE WHEN r.reason IS NULL AND w.active THEN r.due_at END,
                failure_reason = CASE WHEN r.reason IS NOT NULL OR w.active THEN r.reason ELSE 'deactivated' END
            FROM unnest(?::uuid[], ?::uuid[], ?::timestamptz[], ?::text[]) AS r (id, claim, due_at, reason), webhook w
            WHERE d.status = 'pending' AND d.organization_id = ? AND d.id = r.id AND d.claim = r.claim
                AND w.organization_id = ? AND w.id = d.webhook_id
            """;

    private final QueueDatabase database;
    private final UtcClock clock;

    AttemptLog(QueueDatabase database, UtcClock clock) {
        this.database = database;
        this.clock = clock;
    }

    /** Writes attempts of one organisation. If it is called twice, they count once. */
    void write(UUID organizationId, List<Attempt.Made> batch) throws SQLException {
        var now = clock.now();
        database.transaction(sql -> {
            insert(sql, organizationId, batch);
            EndpointHealth.update(sql, organizationId, batch, now);
            succeed(sql, organizationId, batch, now);
            fail(sql, organizationId, batch, now);
            return batch.size();
        });
    }

    private static void insert(Sql sql, UUID organizationId, List<Attempt.Made> batch) throws SQLException {
        var parameters = new ArrayList<@Nullable Object>();
        for (var made : batch) {
            var outcome = made.outcome();
            parameters.addAll(Arrays.asList(
                    organizationId,
                    made.attempt().deliveryId(),
                    made.id(),
                    made.startedAt(),
                    Math.toIntExact(outcome.duration().toMillis()),
                    outcome.statusCode(),
                    outcome.error(),
                    outcome.response()));
        }
        sql.update(
                INSERT_ATTEMPTS.formatted(Lane.rows("(?, ?, ?, ?, ?, ?, ?, ?)", batch.size())), parameters.toArray());
    }

    private static void succeed(Sql sql, UUID organizationId, List<Attempt.Made> batch, Instant now)
            throws SQLException {
        var ids = batch.stream()
                .filter(made -> made.verdict() instanceof Verdict.Succeeded)
                .map(made -> made.attempt().deliveryId())
                .toList();
        if (!ids.isEmpty()) {
            sql.update(SUCCEED, now, organizationId, ids);
        }
    }

    private void fail(Sql sql, UUID organizationId, List<Attempt.Made> batch, Instant now) throws SQLException {
        var failed = batch.stream()
                .filter(made -> !(made.verdict() instanceof Verdict.Succeeded))
                .toList();
        if (failed.isEmpty()) {
            return;
        }
        var databaseNow = database.now(sql);
        var monotonicNow = MonotonicClock.now();
        var lanes = new ArrayList<Lane.Due>();
        var dueAt = new ArrayList<@Nullable Instant>();
        var reasons = new ArrayList<@Nullable String>();
        for (var made : failed) {
            reasons.add(made.verdict() instanceof Verdict.GivenUp(var reason) ? EnumNames.format(reason) : null);
            if (made.verdict() instanceof Verdict.Retry(var delay)) {
                var due = databaseNow.plus(delay).minus(Duration.between(made.endedAt(), monotonicNow));
                dueAt.add(due);
                lanes.add(new Lane.Due(made.attempt().lane().asFailing(), due));
            } else {
                dueAt.add(null);
            }
        }
        sql.update(
                FAIL,
                now,
                failed.stream().map(made -> made.attempt().deliveryId()).toList(),
                failed.stream().map(made -> made.attempt().claim()).toList(),
                dueAt,
                reasons,
                organizationId,
                organizationId);
        Lane.wake(sql, lanes);
    }
}
