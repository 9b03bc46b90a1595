package dev.okr.events;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.function.Supplier;

/** The changes of one transaction: those that were appended, and those that watched resources turn out to have. */
final class PendingChanges {
    private final List<PendingChange> appended = new ArrayList<>();
    private final SequencedMap<String, Supplier<Optional<PendingChange>>> watched = new LinkedHashMap<>();
    private boolean written;

    void append(PendingChange change) {
        appended.add(change);
    }

    /** The first watch of a resource counts: it knows what the resource was when the transaction began. */
    void watch(String resourceId, Supplier<Optional<PendingChange>> change) {
        watched.putIfAbsent(resourceId, change);
    }

    void unwatch(String resourceId) {
        watched.remove(resourceId);
    }

    /** All changes in the order of their events, to be written now. */
    List<PendingChange> changes() {
        var changes = new ArrayList<>(appended);
        watched.sequencedValues().reversed().forEach(change -> change.get().ifPresent(changes::add));
        written = !changes.isEmpty();
        return changes;
    }

    /** Whether there was anything to write. */
    boolean isWritten() {
        return written;
    }
}
