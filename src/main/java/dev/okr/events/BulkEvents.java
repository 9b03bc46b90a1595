package dev.okr.events;

import dev.okr.organizations.audit.Change;
import dev.okr.organizations.audit.ChangeEvents;
import dev.okr.platform.ids.UuidV7;
import dev.okr.platform.time.Timestamps;
import dev.okr.platform.time.UtcClock;
import dev.okr.platform.transactions.Sql;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Writes the events of one large transaction in batches. {@link Outbox} would keep all of them in memory until the
 * commit. The events sort in the order in which they were added.
 */
public final class BulkEvents implements ChangeEvents {
    private static final int MAX_BUFFERED = 500;
    private static final int MAX_BUFFERED_CHARACTERS = 1 << 20;
    private static final List<String> COLUMNS =
            List.of("organization_id", "id", "type", "resource_id", "created_at", "payload", "silent");
    private static final List<String> OUTBOX_COLUMNS = List.of("organization_id", "event_id", "type");

    private final EventJson json;
    private final Sql sql;
    private final UUID organization;
    private final UUID actor;
    private final boolean notify;
    private final List<@Nullable Object[]> events = new ArrayList<>();
    private final List<@Nullable Object[]> outbox = new ArrayList<>();
    private final UtcClock clock;
    private Instant at = Instant.MIN;
    private long characters;
    private int bufferedCharacters;

    BulkEvents(EventJson json, Sql sql, UUID organization, UUID actor, UtcClock clock, boolean notify) {
        this.json = json;
        this.sql = sql;
        this.organization = organization;
        this.actor = actor;
        this.clock = clock;
        this.notify = notify;
    }

    /** The JSON of a resource before its change, for {@link #updated}. */
    public String text(Object resource) {
        return json.text(resource);
    }

    /** Adds the event of a created resource. */
    public void created(EventType type, String resourceId, Object resource) throws SQLException {
        add(new Outbox.Change(organization, type, resourceId, json.text(resource), null, actor));
    }

    /**
     * Adds the event of a changed resource. There is no event if the API shows no difference.
     *
     * @param before the resource before, from {@link #text}
     */
    public void updated(EventType type, String resourceId, String before, Object after) throws SQLException {
        var shown = json.text(after);
        var previous = json.previous(before, shown);
        if (previous.isPresent()) {
            add(new Outbox.Change(organization, type, resourceId, shown, previous.get(), actor));
        }
    }

    @Override
    public void record(Change change, List<Occurrence> occurrences) throws SQLException {
        for (var occurrence : occurrences) {
            var type = EventType.parse(occurrence.type()).orElseThrow();
            if (occurrence.before() == null) {
                created(type, occurrence.resourceId(), occurrence.shown());
            } else {
                updated(type, occurrence.resourceId(), text(occurrence.before()), occurrence.shown());
            }
        }
    }

    private void add(Outbox.Change change) throws SQLException {
        at = Timestamps.later(clock.now(), at);
        var id = UuidV7.at(at);
        var type = change.type().type();
        var payload = json.payload(change, id, at);
        characters += payload.length();
        bufferedCharacters += payload.length();
        events.add(new @Nullable Object[] {organization, id, type, change.resourceId(), at, payload, !notify});
        if (notify) {
            outbox.add(new @Nullable Object[] {organization, id, type});
        }
        if (events.size() == MAX_BUFFERED || bufferedCharacters > MAX_BUFFERED_CHARACTERS) {
            flush();
        }
    }

    /** The characters of all events so far. */
    public long characters() {
        return characters;
    }

    /** Must be called at the end. */
    public void flush() throws SQLException {
        sql.copy("event", COLUMNS, events);
        sql.copy("outbox", OUTBOX_COLUMNS, outbox);
        events.clear();
        bufferedCharacters = 0;
        outbox.clear();
    }
}
