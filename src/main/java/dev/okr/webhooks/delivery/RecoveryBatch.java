package dev.okr.webhooks.delivery;

import dev.okr.platform.time.UtcClock;
import dev.okr.platform.transactions.Sql;
import dev.okr.webhooks.SubscribedEvent;
import jakarta.enterprise.context.ApplicationScoped;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.List;
import java.util.UUID;

/** Queues a batch of the events that a webhook has missed. Failed deliveries are queued again. */
@ApplicationScoped
class RecoveryBatch {
    // The lock on the webhook keeps two replicas from queueing the same event.
    // A cancellation comes first. Otherwise, it could fail deliveries that the recovery has counted as pending.
    private static final String LOCK = """
            SELECT recovery_after, recovery_until, events, failing_since IS NOT NULL AS failing FROM webhook
            WHERE organization_id = ? AND id = ? AND active AND recovery_after IS NOT NULL AND cancel_until IS NULL
            FOR NO KEY UPDATE SKIP LOCKED
            """;

    // Silent events count in a batch too. Otherwise, a statement could read all events of a large import.
    private static final String EVENTS = """
            SELECT id, type, silent FROM event
            WHERE organization_id = ? AND id > ? AND id < ? AND type <> 'webhook.ping' ORDER BY id LIMIT ?
            """;

    // Waits for the fan-out of these events, which may have read the webhooks while this webhook was inactive. A later
    // statement then sees the deliveries of that fan-out and the events that it has removed. A fan-out that begins
    // later skips the locked events until this transaction ends.
    private static final String AWAIT_FAN_OUT = """
            SELECT event_id FROM outbox WHERE organization_id = ? AND event_id = ANY (?) ORDER BY event_id FOR SHARE
            """;
    private static final String REQUEUE = """
            UPDATE delivery SET status = 'pending', failure_reason = NULL, ready = true, retries = 0, updated_at = ?
            WHERE status = 'failed' AND organization_id = ? AND webhook_id = ? AND event_id = ANY (?)
            """;

    // An event in the outbox counts as known, unless its fan-out has already passed this webhook.
    private static final String KNOWN = """
            SELECT event_id FROM delivery WHERE organization_id = ? AND webhook_id = ? AND event_id = ANY (?)
            UNION ALL
            SELECT event_id FROM outbox WHERE organization_id = ? AND event_id = ANY (?)
                AND (fanned_out_to IS NULL OR fanned_out_to < ?)
            """;
    private static final String ADVANCE = "UPDATE webhook SET recovery_after = ? WHERE organization_id = ? AND id = ?";
    private static final String END = """
            UPDATE webhook SET recovery_after = NULL, recovery_until = NULL WHERE organization_id = ? AND id = ?
            """;

    private final QueueDatabase database;
    private final UtcClock clock;

    RecoveryBatch(QueueDatabase database, UtcClock clock) {
        this.database = database;
        this.clock = clock;
    }

    private record Range(UUID after, UUID until, List<String> types, boolean failing) {
        static Range read(ResultSet row) throws SQLException {
            return new Range(
                    Sql.uuid(row, "recovery_after"),
                    Sql.uuid(row, "recovery_until"),
                    List.of((String[]) row.getArray("events").getArray()),
                    row.getBoolean("failing"));
        }
    }

    private record Event(UUID id, String type, boolean isSilent) {}

    /** Returns the number of events in the batch. */
    int run(Sql sql, UUID organization, UUID webhook) throws SQLException {
        var locked = sql.first(Range::read, LOCK, organization, webhook);
        if (locked.isEmpty()) {
            return 0;
        }
        var range = locked.get();
        var events = sql.list(
                row -> new Event(Sql.uuid(row, "id"), row.getString("type"), row.getBoolean("silent")),
                EVENTS,
                organization,
                range.after(),
                range.until(),
                QueueDatabase.MAX_BATCH);
        var forWebhooks = events.stream().filter(event -> !event.isSilent()).toList();
        queue(sql, new Lane(organization, webhook, range.failing()), range.types(), forWebhooks);
        if (events.size() == QueueDatabase.MAX_BATCH) {
            sql.update(ADVANCE, events.getLast().id(), organization, webhook);
        } else {
            sql.update(END, organization, webhook);
        }
        return events.size();
    }

    private void queue(Sql sql, Lane lane, List<String> types, List<Event> events) throws SQLException {
        if (events.isEmpty()) {
            return;
        }
        var organization = lane.organizationId();
        var webhook = lane.webhookId();
        var now = clock.now();
        var databaseNow = database.now(sql);
        var ids = events.stream().map(Event::id).toList();
        sql.list(row -> Sql.uuid(row, "event_id"), AWAIT_FAN_OUT, organization, ids);
        sql.update(REQUEUE, now, organization, webhook, ids);
        var known = new HashSet<>(sql.list(
                row -> Sql.uuid(row, "event_id"), KNOWN, organization, webhook, ids, organization, ids, webhook));
        var missing = events.stream()
                .filter(event -> SubscribedEvent.includes(types, event.type()) && !known.contains(event.id()))
                .map(event -> new Lane.Queued(lane, event.id()))
                .toList();
        sql.updateAll(
                missing.isEmpty()
                        ? List.of(Lane.wake(List.of(new Lane.Due(lane, databaseNow))))
                        : Lane.queue(missing, now, databaseNow));
    }
}
