package dev.okr.webhooks.delivery;

import dev.okr.platform.time.UtcClock;
import dev.okr.platform.transactions.Sql;
import dev.okr.webhooks.SubscribedEvent;
import jakarta.enterprise.context.ApplicationScoped;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.UUID;
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

    private static final int MAX_FOUND = 1_000;

    /** Sorts before all ids. */
    static final UUID FIRST = new UUID(0, 0);

    private static final String FIND = """
            /* all organizations */
            SELECT organization_id FROM outbox WHERE %s organization_id > ? ORDER BY organization_id, event_id LIMIT ?
            """;

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

    private final QueueDatabase database;
    private final UtcClock clock;

    FanOut(QueueDatabase database, UtcClock clock) {
        this.database = database;
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
     * @param deliveries the number of new deliveries
     * @param more whether the organisation may have more events
     */
    record Batch(int deliveries, boolean more) {
        static final Batch NONE = new Batch(0, false);

        Batch plus(Batch other) {
            return new Batch(deliveries + other.deliveries, more || other.more);
        }
    }

    /** Organisations that have events, and whether there are no further ones. */
    record Page(List<UUID> organizations, boolean last) {
        static final Page EMPTY = new Page(List.of(), true);
    }

    /** The next organisations that have events. Each has its turn, however many events another one has. */
    Page organizations(UUID after) throws SQLException {
        var found = database.search((sql, condition) ->
                sql.list(row -> Sql.uuid(row, "organization_id"), FIND.formatted(condition), after, MAX_FOUND));
        return new Page(List.copyOf(new LinkedHashSet<>(found)), found.size() < MAX_FOUND);
    }

    /** Fans out a batch of the oldest events of an organisation. */
    Batch run(UUID organizationId, Instant databaseNow) throws SQLException {
        return database.transaction(sql -> run(sql, organizationId, databaseNow));
    }

    private Batch run(Sql sql, UUID organizationId, Instant databaseNow) throws SQLException {
        var events = sql.list(Event::read, LOCK_EVENTS, organizationId, MAX_EVENTS);
        if (events.isEmpty()) {
            return Batch.NONE;
        }
        var oldest = events.getFirst();
        var after = oldest.fannedOutTo() == null ? FIRST : oldest.fannedOutTo();
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
        Lane.queue(sql, queued, clock.now(), databaseNow);
        if (moreWebhooks) {
            sql.update(CONTINUE, webhooks.getLast().lane().webhookId(), organizationId, oldest.id());
        } else {
            sql.update(REMOVE, organizationId, finished);
        }
        boolean more = alone || finished.size() < events.size() || events.size() == MAX_EVENTS;
        return new Batch(queued.size(), more);
    }

    private static Subscriber subscriber(ResultSet row, UUID organizationId) throws SQLException {
        return new Subscriber(
                new Lane(organizationId, Sql.uuid(row, "id"), row.getBoolean("failing")),
                List.of((String[]) row.getArray("events").getArray()));
    }
}
