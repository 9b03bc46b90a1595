package dev.okr.webhooks.delivery;

import dev.okr.platform.http.EnumNames;
import dev.okr.platform.time.UtcClock;
import dev.okr.platform.transactions.Sql;
import dev.okr.platform.transactions.Sql.Write;
import dev.okr.webhooks.delivery.Attempt.Made;
import jakarta.enterprise.context.ApplicationScoped;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
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

    // A failure counts only under the current claim. If the claim was lost, the replica that holds the new claim
    // decides. The rows are found by their ids alone. A join would leave the order to the planner, which may begin with
    // the whole queue.
    private static final String FAIL = """
            UPDATE delivery SET attempts = attempts + 1, retries = retries + 1, ready = false, claim = NULL,
                updated_at = ?,
                due_at = (SELECT r.due_at FROM unnest(?::timestamptz[], ?::uuid[]) r (due_at, id)
                    WHERE r.id = delivery.id),
                status = CASE WHEN id = ANY (?::uuid[]) THEN 'failed' ELSE 'pending' END,
                failure_reason = (SELECT f.reason FROM unnest(?::text[], ?::uuid[]) f (reason, id)
                    WHERE f.id = delivery.id)
            WHERE status = 'pending' AND organization_id = ? AND id = ANY (?) AND claim = ANY (?)
            """;
    private static final String INACTIVE =
            "SELECT id FROM webhook WHERE organization_id = ? AND id = ANY (?) AND NOT active";

    private final QueueDatabase database;
    private final UtcClock clock;

    AttemptLog(QueueDatabase database, UtcClock clock) {
        this.database = database;
        this.clock = clock;
    }

    /** Writes attempts of one organisation. If it is called twice, they count once. */
    void write(UUID organizationId, List<Made> batch) throws SQLException {
        var now = clock.now();
        database.transaction(sql -> {
            var health = EndpointHealth.of(batch);
            var writes = new ArrayList<Write>();
            writes.add(attempts(organizationId, batch));
            writes.addAll(EndpointHealth.clear(organizationId, health));
            writes.addAll(succeed(organizationId, batch, now));
            sql.updateAll(writes);
            EndpointHealth.update(sql, organizationId, health, now);
            fail(sql, organizationId, batch, now);
            return batch.size();
        });
    }

    private static Write attempts(UUID organizationId, List<Made> batch) {
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
        return new Write(
                INSERT_ATTEMPTS.formatted(Lane.rows("(?, ?, ?, ?, ?, ?, ?, ?)", batch.size())), parameters.toArray());
    }

    private static List<Write> succeed(UUID organizationId, List<Made> batch, Instant now) {
        var ids = ids(batch.stream()
                .filter(made -> made.verdict() instanceof Verdict.Succeeded)
                .toList());
        return ids.isEmpty() ? List.of() : List.of(new Write(SUCCEED, now, organizationId, ids));
    }

    private void fail(Sql sql, UUID organizationId, List<Made> batch, Instant now) throws SQLException {
        var failed = batch.stream()
                .filter(made -> !(made.verdict() instanceof Verdict.Succeeded))
                .toList();
        if (failed.isEmpty()) {
            return;
        }
        var webhooks = failed.stream()
                .map(made -> made.attempt().webhookId())
                .distinct()
                .toList();
        var inactive = new HashSet<>(sql.list(row -> Sql.uuid(row, "id"), INACTIVE, organizationId, webhooks));
        var databaseNow = database.now(sql);
        var monotonicNow = MonotonicClock.now();
        var reasons = new LinkedHashMap<UUID, String>();
        var retries = new LinkedHashMap<UUID, Lane.Due>();
        for (var made : failed) {
            var delivery = made.attempt().deliveryId();
            if (made.verdict() instanceof Verdict.GivenUp(var reason)) {
                reasons.put(delivery, EnumNames.format(reason));
            } else if (inactive.contains(made.attempt().webhookId())) {
                reasons.put(delivery, EnumNames.format(FailureReason.DEACTIVATED));
            } else if (made.verdict() instanceof Verdict.Retry(var delay)) {
                var due = databaseNow.plus(delay).minus(Duration.between(made.endedAt(), monotonicNow));
                retries.put(delivery, new Lane.Due(made.attempt().lane().asFailing(), due));
            }
        }
        sql.update(
                FAIL,
                now,
                retries.values().stream().map(Lane.Due::at).toList(),
                retries.keySet(),
                reasons.keySet(),
                reasons.values(),
                reasons.keySet(),
                organizationId,
                ids(failed),
                failed.stream().map(made -> made.attempt().claim()).distinct().toList());
        if (!retries.isEmpty()) {
            sql.updateAll(List.of(Lane.wake(retries.values())));
        }
    }

    private static List<UUID> ids(List<Made> batch) {
        return batch.stream().map(made -> made.attempt().deliveryId()).toList();
    }
}
