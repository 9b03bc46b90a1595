package dev.okr.webhooks.delivery;

import dev.okr.platform.time.UtcClock;
import dev.okr.platform.transactions.OrganizationSearch;
import dev.okr.platform.transactions.Sql;
import dev.okr.platform.transactions.Sql.Write;
import dev.okr.webhooks.SubscribedEvent;
import jakarta.enterprise.context.ApplicationScoped;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
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
    private static final int MAX_SINGLE_EVENTS = 100;

    /** The limit for one transaction, unless one event has more. One event has at most {@link #MAX_WEBHOOKS}. */
    private static final int MAX_DELIVERIES = 500;

    /** An event that failed this often counts as set aside. It is still tried again, see {@link #MAX_RETRY_DELAY}. */
    static final int MAX_FAILURES = 5;

    /** Doubles with each failure, so an event is set aside after two and a half minutes. */
    private static final Duration FIRST_RETRY_DELAY = Duration.ofSeconds(10);

    private static final Duration MAX_RETRY_DELAY = Duration.ofHours(1);
    private static final int MAX_DOUBLINGS = 16;
    private static final int MAX_COUNTED_FAILURES = 1_000;

    // Skips events that another replica is fanning out.
    private static final String LOCK_EVENTS = """
            SELECT event_id, type, fanned_out_to FROM outbox
            WHERE organization_id = ? AND (retry_at IS NULL OR retry_at <= ?)
            ORDER BY event_id LIMIT ? FOR UPDATE SKIP LOCKED
            """;

    // Waits. After a timeout, the server runs the statement of the batch to its end and holds the locks so long.
    private static final String LOCK_EVENT = """
            SELECT event_id, type, fanned_out_to FROM outbox WHERE organization_id = ? AND event_id = ? FOR UPDATE
            """;
    private static final String OLDEST = """
            SELECT event_id, failures FROM outbox
            WHERE organization_id = ? AND (retry_at IS NULL OR retry_at <= ?) ORDER BY event_id LIMIT ?
            """;
    private static final String POSTPONE =
            "UPDATE outbox SET failures = ?, retry_at = ? WHERE organization_id = ? AND event_id = ?";

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

    /** An event that waits for its fan-out, and how often that has failed. */
    record Waiting(UUID id, int failures) {
        static Waiting read(ResultSet row) throws SQLException {
            return new Waiting(Sql.uuid(row, "event_id"), row.getInt("failures"));
        }

        private Duration retryDelay() {
            var doubled = FIRST_RETRY_DELAY.multipliedBy(1L << Math.min(failures, MAX_DOUBLINGS));
            return doubled.compareTo(MAX_RETRY_DELAY) < 0 ? doubled : MAX_RETRY_DELAY;
        }
    }

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
        return run(
                sql,
                organizationId,
                sql.list(Event::read, LOCK_EVENTS, organizationId, databaseNow, MAX_EVENTS),
                databaseNow);
    }

    /** Fans out one event, or a part of it if it has very many webhooks. */
    void runOne(Sql sql, UUID organizationId, UUID event, Instant databaseNow) throws SQLException {
        run(sql, organizationId, sql.list(Event::read, LOCK_EVENT, organizationId, event), databaseNow);
    }

    static List<Waiting> oldest(Sql sql, UUID organizationId, Instant databaseNow) throws SQLException {
        return sql.list(Waiting::read, OLDEST, organizationId, databaseNow, MAX_SINGLE_EVENTS);
    }

    /**
     * Postpones an event whose fan-out failed. The delay doubles with each counted failure. So a failure that affects all
     * events delays them by about as long as it lasts.
     *
     * @return whether the event is set aside now
     */
    static boolean postpone(Sql sql, UUID organizationId, Waiting event, boolean counted, Instant databaseNow)
            throws SQLException {
        int failures = Math.min(event.failures() + (counted ? 1 : 0), MAX_COUNTED_FAILURES);
        sql.update(POSTPONE, failures, databaseNow.plus(event.retryDelay()), organizationId, event.id());
        return counted && failures == MAX_FAILURES;
    }

    private Batch run(Sql sql, UUID organizationId, List<Event> events, Instant databaseNow) throws SQLException {
        if (events.isEmpty()) {
            return Batch.NONE;
        }
        var oldest = events.getFirst();
        var after = oldest.fannedOutTo() == null ? OrganizationSearch.FIRST : oldest.fannedOutTo();
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
