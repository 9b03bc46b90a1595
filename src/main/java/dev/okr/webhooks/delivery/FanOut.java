package dev.okr.webhooks.delivery;

import dev.okr.platform.time.UtcClock;
import dev.okr.platform.transactions.DatabaseClock;
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

    /** The delay after a conflict with another transaction. */
    private static final Duration CONFLICT_DELAY = Duration.ofSeconds(1);

    private static final Duration MAX_RETRY_DELAY = Duration.ofHours(1);
    private static final int MAX_DOUBLINGS = 16;
    private static final int MAX_COUNTED_FAILURES = 1_000;

    // Skips events that another replica is fanning out. The batch then waits for locks on lanes. Normally they are held
    // for a few milliseconds. If a frozen replica holds them, the short timeout keeps the poller free for other
    // organisations. It does not apply on the workers of a distributed schema.
    private static final String LOCK_EVENTS = """
            SET LOCAL lock_timeout = '250ms';
            SELECT event_id, type, fanned_out_to FROM outbox
            WHERE organization_id = ? AND (retry_at IS NULL OR retry_at <= ?)
            ORDER BY event_id LIMIT ? FOR UPDATE SKIP LOCKED
            """;

    // Waits for the lock. After a timeout, the server still runs the statement of the batch to its end, and keeps its
    // locks until then.
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

    /**
     * Locks a batch of the oldest events of an organisation, to fan them out.
     *
     * @param now events that are postponed until later are left out
     */
    Batch lock(Sql sql, UUID organizationId, Instant now) throws SQLException {
        return lock(sql, organizationId, LOCK_EVENTS, organizationId, now, MAX_EVENTS);
    }

    /** Locks one event, to fan it out to its webhooks, or to some of them if it has very many. */
    Batch lockOne(Sql sql, UUID organizationId, UUID event) throws SQLException {
        return lock(sql, organizationId, LOCK_EVENT, organizationId, event);
    }

    static List<Waiting> oldest(Sql sql, UUID organizationId, Instant databaseNow) throws SQLException {
        return sql.list(Waiting::read, OLDEST, organizationId, databaseNow, MAX_SINGLE_EVENTS);
    }

    /**
     * Postpones an event whose fan-out failed. The delay doubles with each counted failure. If a failure affects all
     * events, it delays them by about as long as it lasts.
     *
     * @return whether the event is set aside now
     */
    static boolean postpone(Sql sql, UUID organizationId, Waiting event, boolean counted, Instant databaseNow)
            throws SQLException {
        int failures = Math.min(event.failures() + (counted ? 1 : 0), MAX_COUNTED_FAILURES);
        sql.update(
                POSTPONE,
                failures,
                databaseNow.plus(counted ? event.retryDelay() : CONFLICT_DELAY),
                organizationId,
                event.id());
        return counted && failures == MAX_FAILURES;
    }

    private Batch lock(Sql sql, UUID organizationId, String lockEvents, Object... parameters) throws SQLException {
        var statements = Write.all(List.of(
                new Write(DatabaseClock.NOW),
                new Write(lockEvents, parameters),
                webhooks(organizationId, OrganizationSearch.FIRST)));
        var found = sql.results(
                results -> new Found(
                        database.now(results),
                        results.next(Event::read),
                        results.next(row -> subscriber(row, organizationId))),
                statements.statement(),
                statements.parameters());
        return found.events().isEmpty() ? Batch.NONE : batch(sql, organizationId, found);
    }

    private Batch batch(Sql sql, UUID organizationId, Found found) throws SQLException {
        var events = found.events();
        var oldest = events.getFirst();
        var webhooks = found.webhooks();
        if (oldest.fannedOutTo() != null) {
            var rest = webhooks(organizationId, oldest.fannedOutTo());
            webhooks = sql.list(row -> subscriber(row, organizationId), rest.statement(), rest.parameters());
        }
        boolean moreWebhooks = webhooks.size() == MAX_WEBHOOKS;
        // An event for very many webhooks is fanned out alone, in several batches.
        boolean alone = moreWebhooks || oldest.fannedOutTo() != null;
        var queued = new ArrayList<Lane.Queued>();
        var finished = new ArrayList<UUID>();
        for (var event : alone ? List.of(oldest) : events) {
            if (queued.size() < MAX_DELIVERIES) {
                for (var webhook : webhooks) {
                    if (SubscribedEvent.includes(webhook.events(), event.type())) {
                        queued.add(new Lane.Queued(webhook.lane(), event.id()));
                    }
                }
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

    private static Write webhooks(UUID organizationId, UUID after) {
        return new Write(WEBHOOKS, organizationId, after, MAX_WEBHOOKS);
    }

    private static Subscriber subscriber(ResultSet row, UUID organizationId) throws SQLException {
        return new Subscriber(
                new Lane(organizationId, Sql.uuid(row, "id"), row.getBoolean("failing")),
                List.of((String[]) row.getArray("events").getArray()));
    }
}
