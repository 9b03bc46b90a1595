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
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Records events in the transaction of the change. An event exists if and only if the change was committed. All events
 * of a transaction are written before its commit, together with its other {@link PendingWrites}. Their order is the
 * order in which they were recorded.
 */
@ApplicationScoped
public class Outbox {
    private static final String INSERT =
            "INSERT INTO event (organization_id, id, type, resource_id, created_at, payload) VALUES ";
    private static final String EVENT = "(?, ?, ?, ?, ?, ?)";
    private static final String APPEND = "INSERT INTO outbox (organization_id, event_id, type) VALUES ";
    private static final String ENTRY = "(?, ?, ?)";

    /** The largest number of rows in a statement. Few different statements keep their plans. */
    private static final int MAX_ROWS_PER_STATEMENT = 50;

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

    /** Records that the caller created a resource. */
    public void created(EventType type, String resourceId, Object resource) {
        changes().add(change(type, resourceId, json.text(resource), null));
    }

    /** Records that the caller deletes a resource. The event shows it as it was before. */
    public void deleted(EventType type, String resourceId, Object resource) {
        changes().add(change(type, resourceId, json.text(resource), null));
    }

    /** Records that the caller changed a resource. There is no event if both states look the same. */
    public void updated(EventType type, String resourceId, Object before, Object after) {
        updated(caller.organizationId(), caller.userId(), type, resourceId, before, after);
    }

    /** Records that a resource changed because time passed. The event has no actor. */
    public void updated(UUID organizationId, EventType type, String resourceId, Object before, Object after) {
        updated(organizationId, null, type, resourceId, before, after);
    }

    private void updated(
            UUID organizationId, @Nullable UUID actor, EventType type, String resourceId, Object before, Object after) {
        var shown = json.text(after);
        json.previous(json.text(before), shown)
                .ifPresent(previous ->
                        changes().add(new PendingChange(organizationId, type, resourceId, shown, previous, actor)));
    }

    /**
     * Writes an event for one webhook only. It is not fanned out to others.
     *
     * @return the event's id, for its delivery
     */
    public UUID record(EventType type, String resourceId, Object resource) {
        var now = clock.now();
        var id = UuidV7.at(now);
        insert(List.of(new Row(id, now, change(type, resourceId, json.text(resource), null))));
        return id;
    }

    private PendingChange change(EventType type, String resourceId, String data, @Nullable String previous) {
        return new PendingChange(caller.organizationId(), type, resourceId, data, previous, caller.userId());
    }

    /** The changes recorded in the current transaction. */
    private List<PendingChange> changes() {
        if (transactions.getResource(this) instanceof Changes known) {
            return known.list;
        }
        var changes = new Changes(new ArrayList<>());
        transactions.putResource(this, changes);
        writes.beforeCommit(() -> write(changes.list));
        transactions.registerInterposedSynchronization(new Synchronization() {
            @Override
            public void beforeCompletion() {
                // PendingWrites calls write() before the commit.
            }

            @Override
            public void afterCompletion(int status) {
                if (status == Status.STATUS_COMMITTED && !changes.list.isEmpty()) {
                    listeners.forEach(OutboxListener::committed);
                }
            }
        });
        return changes.list;
    }

    private record Changes(List<PendingChange> list) {}

    private void write(List<PendingChange> changes) {
        var start = clock.now();
        var rows = new ArrayList<Row>();
        for (int i = 0; i < changes.size(); i++) {
            // The times differ by a microsecond each, so that ids sort in the order of the events.
            var at = start.plusNanos(i * 1_000L);
            rows.add(new Row(UuidV7.at(at), at, changes.get(i)));
        }
        for (int i = 0; i < rows.size(); i += MAX_ROWS_PER_STATEMENT) {
            var some = rows.subList(i, Math.min(i + MAX_ROWS_PER_STATEMENT, rows.size()));
            insert(some);
            write(APPEND, ENTRY, some, row -> Stream.of(row.change.organizationId(), row.id, row.type()));
        }
    }

    private void insert(List<Row> rows) {
        write(
                INSERT,
                EVENT,
                rows,
                row -> Stream.of(
                        row.change.organizationId(),
                        row.id,
                        row.type(),
                        row.change.resourceId(),
                        row.at,
                        json.payload(row.change, row.id, row.at)));
    }

    /** Writes the rows with one statement. Its values are parameters, so a distributed schema finds their worker. */
    private void write(String insert, String places, List<Row> rows, Function<Row, Stream<Object>> values) {
        var statement = insert + String.join(", ", Collections.nCopies(rows.size(), places));
        writes.add(statement, rows.stream().flatMap(values).toArray());
    }

    /** An event with its id and time. */
    private record Row(UUID id, Instant at, PendingChange change) {
        String type() {
            return change.type().type();
        }
    }
}
