package dev.okr.webhooks.delivery;

import dev.okr.platform.http.EnumNames;
import dev.okr.platform.time.UtcClock;
import dev.okr.platform.transactions.Sql;
import dev.okr.platform.transactions.Sql.Write;
import dev.okr.webhooks.delivery.Attempt.Made;
import jakarta.enterprise.context.ApplicationScoped;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.function.BinaryOperator;
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
            WHERE status = 'pending' AND organization_id = ? AND id = ANY (?::uuid[])
            """;

    // A failure counts only under the current claim of its delivery. If the claim was lost, the replica that holds the
    // new claim decides. The rows are found by their ids alone. A join would leave the order to the planner, which may
    // begin with the whole queue. Citus cannot read an array element in SET outside a subquery.
    private static final String FAIL = """
            UPDATE delivery SET attempts = attempts + 1, retries = retries + 1, ready = false, claim = NULL,
                updated_at = ?,
                due_at = (SELECT (?::timestamptz[])[array_position(?::uuid[], id)]),
                status = CASE WHEN id = ANY (?::uuid[]) THEN 'failed' ELSE 'pending' END,
                failure_reason = (SELECT (?::text[])[array_position(?::uuid[], id)])
            WHERE status = 'pending' AND organization_id = ? AND id = ANY (?)
                AND claim = (?::uuid[])[array_position(?::uuid[], id)]
            """;
    private static final String ACTIVE = "SELECT id FROM webhook WHERE organization_id = ? AND id = ANY (?) AND active";

    private final QueueDatabase database;
    private final UtcClock clock;

    AttemptLog(QueueDatabase database, UtcClock clock) {
        this.database = database;
        this.clock = clock;
    }

    /**
     * Writes attempts of one organisation. If the same attempts are written twice, they count once. The lanes are
     * locked last and in one statement, so that concurrent transactions cannot deadlock.
     */
    void write(UUID organizationId, List<Made> batch) throws SQLException {
        var now = clock.now();
        database.transaction(sql -> {
            var erased = StoredResponses.lockErased(sql, organizationId, batch);
            var health = EndpointHealth.of(batch);
            var writes = Write.all(List.of(
                    attempts(organizationId, batch, erased),
                    EndpointHealth.clear(organizationId, health),
                    succeed(organizationId, batch, now)));
            var recovered = sql.list(row -> Sql.uuid(row, "id"), writes.statement(), writes.parameters());
            var due = new HashMap<UUID, Instant>();
            var failed = failed(batch);
            if (!failed.isEmpty()) {
                var time = DatabaseTime.at(database.now(sql));
                EndpointHealth.update(sql, organizationId, health, now, time);
                due.putAll(fail(sql, organizationId, failed, now, time));
            }
            recovered.forEach(webhook -> due.putIfAbsent(webhook, Instant.MAX));
            if (!due.isEmpty()) {
                sql.updateAll(List.of(Lane.wakeAndMark(lanes(organizationId, health, due))));
            }
            return batch.size();
        });
    }

    /** @param erased the ids of the attempts whose responses are not stored */
    private static Write attempts(UUID organizationId, List<Made> batch, Set<UUID> erased) {
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
                    erased.contains(made.id()) ? null : outcome.response()));
        }
        return new Write(
                INSERT_ATTEMPTS.formatted(Lane.rows("(?, ?, ?, ?, ?, ?, ?, ?)", batch.size())), parameters.toArray());
    }

    private static Write succeed(UUID organizationId, List<Made> batch, Instant now) {
        var succeeded = batch.stream()
                .filter(made -> made.verdict() instanceof Verdict.Succeeded)
                .toList();
        return new Write(SUCCEED, now, organizationId, ids(succeeded));
    }

    /** Returns when the first retry of each webhook is due. */
    private static Map<UUID, Instant> fail(
            Sql sql, UUID organizationId, List<Made> failed, Instant now, DatabaseTime time) throws SQLException {
        var first = new HashMap<UUID, Instant>();
        var webhooks = failed.stream()
                .map(made -> made.attempt().webhookId())
                .distinct()
                .toList();
        // A deleted webhook is not found.
        var active = new HashSet<>(sql.list(row -> Sql.uuid(row, "id"), ACTIVE, organizationId, webhooks));
        var reasons = new LinkedHashMap<UUID, String>();
        var retries = new LinkedHashMap<UUID, Instant>();
        for (var made : failed) {
            var delivery = made.attempt().deliveryId();
            var webhook = made.attempt().webhookId();
            if (made.verdict() instanceof Verdict.GivenUp(var reason)) {
                reasons.put(delivery, EnumNames.format(reason));
            } else if (!active.contains(webhook)) {
                reasons.put(delivery, EnumNames.format(FailureReason.DEACTIVATED));
            } else if (made.verdict() instanceof Verdict.Retry(var delay)) {
                var due = time.of(made.endedAt()).plus(delay);
                retries.put(delivery, due);
                first.merge(webhook, due, BinaryOperator.minBy(Comparator.naturalOrder()));
            }
        }
        var ids = ids(failed);
        sql.update(
                FAIL,
                now,
                retries.values(),
                retries.keySet(),
                reasons.keySet(),
                reasons.values(),
                reasons.keySet(),
                organizationId,
                ids,
                failed.stream().map(made -> made.attempt().claim()).toList(),
                ids);
        return first;
    }

    /** One failed attempt for each delivery. If a delivery was claimed twice, only its newest claim can be valid. */
    private static List<Made> failed(List<Made> batch) {
        var newest = new LinkedHashMap<UUID, Made>();
        batch.stream()
                .filter(made -> !(made.verdict() instanceof Verdict.Succeeded))
                .sorted(Comparator.comparing(made -> made.attempt().claimedAt()))
                .forEach(made -> newest.put(made.attempt().deliveryId(), made));
        return List.copyOf(newest.values());
    }

    /** @param due when the lanes are due, by webhook */
    private static List<Lane.Due> lanes(UUID organizationId, List<EndpointHealth> health, Map<UUID, Instant> due) {
        return health.stream()
                .filter(each -> due.containsKey(each.webhookId()))
                .map(each -> new Lane.Due(
                        new Lane(organizationId, each.webhookId(), each.failing()),
                        Objects.requireNonNull(due.get(each.webhookId()))))
                .toList();
    }

    private static List<UUID> ids(List<Made> batch) {
        return batch.stream().map(made -> made.attempt().deliveryId()).toList();
    }
}
