package dev.okr.events;

import dev.okr.access.limits.ByteQuotas;
import dev.okr.access.limits.LargeRequests;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.http.Caller;
import dev.okr.platform.ids.UuidV7;
import dev.okr.platform.time.UtcClock;
import dev.okr.platform.transactions.PendingWrites;
import dev.okr.platform.transactions.Sql;
import io.quarkus.arc.All;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.transaction.Status;
import jakarta.transaction.Synchronization;
import jakarta.transaction.TransactionSynchronizationRegistry;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.IntStream;
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
    private static final String APPEND = "INSERT INTO outbox (organization_id, event_id, type) VALUES ";

    /** The largest number of rows in a statement. Few different statements keep their plans. */
    private static final int MAX_ROWS_PER_STATEMENT = 50;

    /**
     * Bounds the memory for the JSON of the changes, and for its copies in the payloads and in the driver. Only long texts
     * of many objectives reach it.
     */
    private static final long MAX_UNWRITTEN_CHARACTERS = 1_000_000;

    private static final long NANOS_BETWEEN_EVENTS = 1_000;

    private final PendingWrites writes;
    private final TransactionSynchronizationRegistry transactions;
    private final EventJson json;
    private final UtcClock clock;
    private final Caller caller;
    private final ByteQuotas quotas;
    private final LargeRequests large;
    private final List<OutboxListener> listeners;

    /**
     * A change that becomes an event when its transaction commits.
     *
     * @param data the resource as lists show it, in JSON
     * @param previous the old values of the changed fields, in JSON; only for an update
     * @param actor the user who made the change; null if the resource changed because time passed
     */
    record Change(
            UUID organizationId,
            EventType type,
            String resourceId,
            String data,
            @Nullable String previous,
            @Nullable UUID actor) {}

    private record NewEvent(Change change, UUID id, Instant at, String payload) {
        UUID organizationId() {
            return change.organizationId();
        }

        String type() {
            return change.type().type();
        }
    }

    /**
     * The changes of one transaction that are not written yet. A transaction can change thousands of resources with long
     * texts. So they are written when they need much memory, and otherwise before the commit.
     */
    private final class Changes {
        private final List<Change> list = new ArrayList<>();
        private final Set<UUID> organizations = new HashSet<>();
        private long characters;
        private long unwrittenCharacters;
        private Instant lastAt = Instant.MIN;

        /** A change that a user made. All such changes of a transaction have the same user. */
        private @Nullable Change byUser;

        void add(Change change) {
            list.add(change);
            organizations.add(change.organizationId());
            byUser = change.actor == null ? byUser : change;
            int length = change.data.length() + (change.previous == null ? 0 : change.previous.length());
            characters += length;
            unwrittenCharacters += length;
            if (unwrittenCharacters > MAX_UNWRITTEN_CHARACTERS) {
                // Only requests have actors. Jobs do not write that many events.
                if (change.actor != null) {
                    // Otherwise, concurrent changes with many long events could fill the heap.
                    large.awaitEvents();
                }
                write();
                writes.flush();
            }
        }

        void write() {
            // Events that are written later have later ids.
            var now = clock.now();
            var start = now.isAfter(lastAt) ? now : lastAt.plusNanos(NANOS_BETWEEN_EVENTS);
            lastAt = start.plusNanos(NANOS_BETWEEN_EVENTS * list.size());
            Outbox.this.write(list, start, Outbox.this::add);
            list.clear();
            unwrittenCharacters = 0;
        }

        void charge() {
            if (byUser != null && byUser.actor != null) {
                quotas.chargeEvents(byUser.organizationId, byUser.actor, characters);
            }
        }
    }

    Outbox(
            PendingWrites writes,
            TransactionSynchronizationRegistry transactions,
            EventJson json,
            UtcClock clock,
            Caller caller,
            ByteQuotas quotas,
            LargeRequests large,
            @All List<OutboxListener> listeners) {
        this.writes = writes;
        this.transactions = transactions;
        this.json = json;
        this.clock = clock;
        this.caller = caller;
        this.quotas = quotas;
        this.large = large;
        this.listeners = listeners;
    }

    /**
     * The events of one large transaction. Call it in this transaction.
     *
     * @param sql the transaction of the changes
     * @param notify whether webhooks receive the events, immediately or by a later recovery
     */
    public BulkEvents bulk(Sql sql, UUID organization, UUID actor, boolean notify) {
        if (notify) {
            afterCommit(Set.of(organization), () -> {});
        }
        return new BulkEvents(json, sql, organization, actor, clock, notify);
    }

    /** Records that the caller created or restored a resource. */
    public void created(EventType type, String resourceId, Object resource) {
        changes().add(callersChange(type, resourceId, resource));
    }

    /** Records that the caller deletes a resource. The event shows it as it was before. */
    public void deleted(EventType type, String resourceId, Object resource) {
        changes().add(callersChange(type, resourceId, resource));
    }

    /**
     * Charges check-ins that a deletion or restoration copies. Call it before the copy. If the transaction fails later or
     * is repeated, it has written them too.
     *
     * @throws Failure if the quota is used up meanwhile
     */
    public void chargeCheckIns(long checkIns) {
        quotas.require(caller.organizationId(), caller.userId());
        quotas.chargeCheckIns(caller.organizationId(), caller.userId(), checkIns);
    }

    /** Records that the caller changed a resource. There is no event if the API shows no difference. */
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
                        changes().add(new Change(organizationId, type, resourceId, shown, previous, actor)));
    }

    /**
     * Writes an event for one webhook only. It is not fanned out to others.
     *
     * @return the event's id, for its delivery
     */
    public UUID writeWithoutFanOut(EventType type, String resourceId, Object resource) {
        var event = event(callersChange(type, resourceId, resource), clock.now());
        add(insertion(List.of(event)));
        return event.id();
    }

    private Change callersChange(EventType type, String resourceId, Object resource) {
        return new Change(caller.organizationId(), type, resourceId, json.text(resource), null, caller.userId());
    }

    /**
     * Records changes that another class describes. The organisation file is applied without a JTA transaction. Its
     * events are written at once, and the poller finds them with its next search.
     */
    void record(Sql sql, List<Change> described) throws SQLException {
        if (transactions.getTransactionKey() != null) {
            described.forEach(changes()::add);
            return;
        }
        var statements = new ArrayList<Sql.Write>();
        write(described, clock.now(), statements::add);
        sql.updateAll(statements);
    }

    private Changes changes() {
        if (transactions.getResource(this) instanceof Changes known) {
            return known;
        }
        var changes = new Changes();
        transactions.putResource(this, changes);
        writes.beforeCommit(changes::write);
        afterCommit(changes.organizations, changes::charge);
        return changes;
    }

    /**
     * Tells the listeners about new events after the commit.
     *
     * @param organizations the organisations with events. The set may grow until the commit.
     * @param charge runs after the commit too
     */
    private void afterCommit(Set<UUID> organizations, Runnable charge) {
        transactions.registerInterposedSynchronization(new Synchronization() {
            @Override
            public void beforeCompletion() {
                // The events are already written, or Changes writes them.
            }

            @Override
            public void afterCompletion(int status) {
                if (status == Status.STATUS_COMMITTED && !organizations.isEmpty()) {
                    charge.run();
                    listeners.forEach(each -> each.committed(organizations));
                }
            }
        });
    }

    private void write(List<Change> changes, Instant start, Consumer<Sql.Write> target) {
        // The times differ by a microsecond each, so that ids sort in the order of the events.
        var events = IntStream.range(0, changes.size())
                .mapToObj(i -> event(changes.get(i), start.plusNanos(i * NANOS_BETWEEN_EVENTS)))
                .toList();
        for (int i = 0; i < events.size(); i += MAX_ROWS_PER_STATEMENT) {
            var some = events.subList(i, Math.min(i + MAX_ROWS_PER_STATEMENT, events.size()));
            target.accept(insertion(some));
            target.accept(statement(
                    APPEND, "(?, ?, ?)", some, event -> Stream.of(event.organizationId(), event.id(), event.type())));
        }
    }

    private NewEvent event(Change change, Instant at) {
        var id = UuidV7.at(at);
        return new NewEvent(change, id, at, json.payload(change, id, at));
    }

    private static Sql.Write insertion(List<NewEvent> events) {
        return statement(
                INSERT,
                "(?, ?, ?, ?, ?, ?)",
                events,
                event -> Stream.of(
                        event.organizationId(),
                        event.id(),
                        event.type(),
                        event.change().resourceId(),
                        event.at(),
                        event.payload()));
    }

    /** Writes a row for each event. The values are parameters, so a distributed schema finds their worker. */
    private static Sql.Write statement(
            String insert, String row, List<NewEvent> events, Function<NewEvent, Stream<Object>> values) {
        var statement = insert + String.join(", ", Collections.nCopies(events.size(), row));
        return new Sql.Write(statement, events.stream().flatMap(values).toArray());
    }

    private void add(Sql.Write write) {
        writes.add(write.statement(), write.parameters());
    }
}
