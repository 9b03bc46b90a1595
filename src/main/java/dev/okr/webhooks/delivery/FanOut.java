package dev.okr.webhooks.delivery;

import dev.okr.platform.time.UtcClock;
import dev.okr.platform.transactions.OrganizationSearch;
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
    private static final String LOCK_AND_READ = QueueDatabase.NOW + ";\n" + LOCK_EVENTS + ";\n" + WEBHOOKS;
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
     * A batch of events.
     *
     * @param writes the statements that fan out the events. The caller runs them in the same transaction.
     * @param webhooks those with new deliveries
     * @param more whether the organisation may have more events
     */
    record Batch(List<Write> writes, Set<UUID> webhooks, boolean more) {
        static final Batch NONE = new Batch(List.of(), Set.of(), false);
    }

    private record Found(Instant databaseNow, List<Event> events, List<Subscriber> webhooks) {}

    /** Locks a batch of the oldest events of an organisation, to fan them out. */
    Batch lock(Sql sql, UUID organizationId) throws SQLException {
        var found = sql.results(
                results -> new Found(
                        database.now(results),
                        results.next(Event::read),
                        results.next(row -> subscriber(row, organizationId))),
                LOCK_AND_READ,
                organizationId,
                MAX_EVENTS,
                organizationId,
                OrganizationSearch.FIRST,
                MAX_WEBHOOKS);
        var events = found.events();
        if (events.isEmpty()) {
            return Batch.NONE;
        }
        var oldest = events.getFirst();
        var webhooks = oldest.fannedOutTo() == null
                ? found.webhooks()
                : sql.list(
                        row -> subscriber(row, organizationId),
                        WEBHOOKS,
                        organizationId,
                        oldest.fannedOutTo(),
                        MAX_WEBHOOKS);
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
        var writes = new ArrayList<>(Lane.queue(queued, clock.now(), found.databaseNow()));
        writes.add(
                moreWebhooks
                        ? new Write(CONTINUE, webhooks.getLast().lane().webhookId(), organizationId, oldest.id())
                        : new Write(REMOVE, organizationId, finished));
        boolean more = alone || finished.size() < events.size() || events.size() == MAX_EVENTS;
        var woken = queued.stream().map(each -> each.lane().webhookId()).collect(Collectors.toSet());
        return new Batch(writes, woken, more);
    }

    private static Subscriber subscriber(ResultSet row, UUID organizationId) throws SQLException {
        return new Subscriber(
                new Lane(organizationId, Sql.uuid(row, "id"), row.getBoolean("failing")),
                List.of((String[]) row.getArray("events").getArray()));
    }
}
