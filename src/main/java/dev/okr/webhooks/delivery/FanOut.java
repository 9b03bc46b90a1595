package dev.okr.webhooks.delivery;

import dev.okr.platform.time.UtcClock;
import dev.okr.platform.transactions.Sql;
import dev.okr.platform.transactions.Sql.Write;
import dev.okr.webhooks.SubscribedEvent;
import jakarta.enterprise.context.ApplicationScoped;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Creates a delivery of each event for each active webhook that subscribes to its type. One transaction removes events
 * from the outbox, queues their deliveries and wakes the lanes, so a crash cannot lose events.
 */
@ApplicationScoped
class FanOut {
    private static final int MAX_EVENTS = 500;
    private static final int MAX_WEBHOOKS = 500;

    /** The limit for one transaction, unless one event has more. One event has at most {@link #MAX_WEBHOOKS}. */
    private static final int MAX_DELIVERIES = 500;

    // Skips events that another replica is fanning out.
    private static final String LOCK_EVENTS = """
            SELECT event_id, type, fanned_out_to FROM outbox WHERE organization_id = ?
            ORDER BY event_id LIMIT ? FOR UPDATE SKIP LOCKED
            """;

    // A statement that sees an event also sees every webhook that was created before it, so no webhook is missed.
    private static final String WEBHOOKS = """
            SELECT id, events, failing_since IS NOT NULL AS failing FROM webhook
            WHERE organization_id = ? AND active AND id > ? ORDER BY id LIMIT ?
            """;
    private static final String REMOVE = "DELETE FROM outbox WHERE organization_id = ? AND event_id = ANY (?)";
    private static final String CONTINUE =
            "UPDATE outbox SET fanned_out_to = ? WHERE organization_id = ? AND event_id = ?";

    private final UtcClock clock;

    FanOut(UtcClock clock) {
        this.clock = clock;
    }

    private record Event(UUID id, String type, @Nullable UUID fannedOutTo) {
        static Event read(ResultSet row) throws SQLException {
            return new Event(
                    Sql.uuid(row, "event_id"), row.getString("type"), row.getObject("fanned_out_to", UUID.class));
        }
    }

    private record Subscriber(Lane lane, List<String> events) {}

    /**
     * The result of a batch.
     *
     * @param webhooks those with new deliveries
     * @param more whether the organisation may have more events
     */
    record Batch(Set<UUID> webhooks, boolean more) {
        static final Batch NONE = new Batch(Set.of(), false);
    }

    /** Fans out a batch of the oldest events of an organisation. */
    Batch run(Sql sql, UUID organizationId, Instant databaseNow) throws SQLException {
        var events = sql.list(Event::read, LOCK_EVENTS, organizationId, MAX_EVENTS);
        if (events.isEmpty()) {
            return Batch.NONE;
        }
        var oldest = events.getFirst();
        var after = oldest.fannedOutTo() == null ? QueueDatabase.FIRST : oldest.fannedOutTo();
        var webhooks = sql.list(row -> subscriber(row, organizationId), WEBHOOKS, organizationId, after, MAX_WEBHOOKS);
        boolean moreWebhooks = webhooks.size() == MAX_WEBHOOKS;
        // An event for very many webhooks is fanned out alone, in several batches.
        boolean alone = moreWebhooks || oldest.fannedOutTo() != null;
        var queued = new ArrayList<Lane.Queued>();
        var finished = new ArrayList<UUID>();
        for (var event : alone ? List.of(oldest) : events) {
            if (queued.size() < MAX_DELIVERIES) {
                webhooks.stream()
                        .filter(webhook -> SubscribedEvent.includes(webhook.events(), event.type()))
                        .forEach(webhook -> queued.add(new Lane.Queued(webhook.lane(), event.id())));
                finished.add(event.id());
            }
        }
        var writes = new ArrayList<>(Lane.queue(queued, clock.now(), databaseNow));
        writes.add(
                moreWebhooks
                        ? new Write(CONTINUE, webhooks.getLast().lane().webhookId(), organizationId, oldest.id())
                        : new Write(REMOVE, organizationId, finished));
        sql.updateAll(writes);
        boolean more = alone || finished.size() < events.size() || events.size() == MAX_EVENTS;
        var woken = queued.stream().map(each -> each.lane().webhookId()).collect(Collectors.toSet());
        return new Batch(woken, more);
    }

    private static Subscriber subscriber(ResultSet row, UUID organizationId) throws SQLException {
        return new Subscriber(
                new Lane(organizationId, Sql.uuid(row, "id"), row.getBoolean("failing")),
                List.of((String[]) row.getArray("events").getArray()));
    }
}
