package dev.okr.events;

import dev.okr.organizations.audit.Change;
import dev.okr.organizations.audit.ChangeEvents;
import jakarta.inject.Singleton;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Turns changes of users and teams into events. */
@Singleton
class RecordedChanges implements ChangeEvents {
    private final Outbox outbox;
    private final EventJson json;

    RecordedChanges(Outbox outbox, EventJson json) {
        this.outbox = outbox;
        this.json = json;
    }

    @Override
    public void record(Change change, List<Occurrence> occurrences) throws SQLException {
        var described = new ArrayList<Outbox.Change>();
        for (var occurrence : occurrences) {
            var shown = json.text(occurrence.shown());
            if (occurrence.before() == null) {
                described.add(described(change, occurrence, shown, null));
            } else {
                previous(occurrence.before(), shown)
                        .ifPresent(previous -> described.add(described(change, occurrence, shown, previous)));
            }
        }
        if (!described.isEmpty()) {
            outbox.record(change.sql(), described);
        }
    }

    private Optional<String> previous(Object before, String shown) {
        return json.previous(json.text(before), shown);
    }

    private static Outbox.Change described(
            Change change, Occurrence occurrence, String shown, @Nullable String previous) {
        var type = EventType.parse(occurrence.type()).orElseThrow();
        return new Outbox.Change(
                change.organizationId(), type, occurrence.resourceId(), shown, previous, change.userId());
    }
}
