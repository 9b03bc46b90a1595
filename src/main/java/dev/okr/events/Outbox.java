package dev.okr.events;

import dev.okr.platform.http.Caller;
import dev.okr.platform.ids.UuidV7;
import dev.okr.platform.time.UtcClock;
import dev.okr.platform.transactions.PendingWrites;
import io.quarkus.arc.All;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.transaction.Status;
import jakarta.transaction.Synchronization;
import jakarta.transaction.TransactionSynchronizationRegistry;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Takes down what happened, in the transaction in which it happens: an event exists if and only if the change has
 * committed. The events of a transaction are written just before it commits, all of them in one round trip.
 */
@ApplicationScoped
public class Outbox {
    private static final String INSERT = """
            INSERT INTO event (organization_id, id, type, resource_id, created_at, payload)
            SELECT * FROM unnest(?::uuid[], ?::uuid[], ?::text[], ?::text[], ?::timestamptz[], ?::text[])
            """;
    private static final String APPEND = """
            WITH appended AS (%s RETURNING organization_id, id, type)
            INSERT INTO outbox (organization_id, event_id, type) SELECT organization_id, id, type FROM appended
            """.formatted(INSERT);

    private final PendingWrites writes;
    private final TransactionSynchronizationRegistry transactions;
    private final EventJson json;
    private final UtcClock clock;
    private final Caller caller;
    private final List<OutboxListener> listeners;

    Outbox(
            PendingWrites writes,
            TransactionSynchronizationRegistry transactions,
            EventJson json,
            UtcClock clock,
            Caller caller,
            @All List<OutboxListener> listeners) {
        this.writes = writes;
        this.transactions = transactions;
        this.json = json;
        this.clock = clock;
        this.caller = caller;
        this.listeners = listeners;
    }

    /** The caller created a resource; it is shown as it is now. */
    public void created(EventType type, String resourceId, Object resource) {
        pending().append(change(type, resourceId, json.text(resource), null));
    }

    /** The caller deletes a resource; it is shown as it was. A watch of it ends. */
    public void deleted(EventType type, String resourceId, Object resource) {
        var pending = pending();
        pending.unwatch(resourceId);
        pending.append(change(type, resourceId, json.text(resource), null));
    }

    /**
     * Watches a resource that the caller may be about to change: what differs at the end of the transaction from what
     * it is now makes one event of this type, and no difference makes none. Of several, the one watched last comes
     * first: who changes a key result has locked its objective before.
     *
     * @param representation shows the resource as it is at the moment
     */
    public void watch(EventType type, String resourceId, Supplier<?> representation) {
        var before = json.text(representation.get());
        pending().watch(resourceId, () -> {
            var after = json.text(representation.get());
            return json.previous(before, after).map(previous -> change(type, resourceId, after, previous));
        });
    }

    /** Time, not a person, changed a resource of an organisation. */
    public void updated(UUID organizationId, EventType type, String resourceId, Object before, Object after) {
        var shown = json.text(after);
        json.previous(json.text(before), shown)
                .ifPresent(previous ->
                        pending().append(new PendingChange(organizationId, type, resourceId, shown, previous, null)));
    }

    /**
     * Writes an event that is for one webhook alone and so is not fanned out.
     *
     * @return the event's id, for its delivery
     */
    public UUID record(EventType type, String resourceId, Object resource) {
        var events = new EventRows();
        var now = clock.now();
        var id = add(events, change(type, resourceId, json.text(resource), null), now);
        writes.add(INSERT, events.columns());
        return id;
    }

    private PendingChange change(EventType type, String resourceId, String data, @Nullable String previous) {
        return new PendingChange(caller.organizationId(), type, resourceId, data, previous, caller.userId());
    }

    /** The changes of the transaction under way, which are written before it commits. */
    private PendingChanges pending() {
        if (transactions.getResource(this) instanceof PendingChanges known) {
            return known;
        }
        var pending = new PendingChanges();
        transactions.putResource(this, pending);
        transactions.registerInterposedSynchronization(new Synchronization() {
            @Override
            public void beforeCompletion() {
                write(pending.changes());
            }

            @Override
            public void afterCompletion(int status) {
                if (status == Status.STATUS_COMMITTED && pending.isWritten()) {
                    listeners.forEach(OutboxListener::committed);
                }
            }
        });
        return pending;
    }

    private void write(List<PendingChange> changes) {
        if (changes.isEmpty()) {
            return;
        }
        var start = clock.now();
        var events = new EventRows();
        for (int i = 0; i < changes.size(); i++) {
            // A microsecond apart, so that their order is that of their ids.
            add(events, changes.get(i), start.plusNanos(i * 1_000L));
        }
        writes.add(APPEND, events.columns());
    }

    private UUID add(EventRows events, PendingChange change, Instant at) {
        var id = UuidV7.at(at);
        events.add(change, id, at, json.payload(change, id, at));
        return id;
    }
}
