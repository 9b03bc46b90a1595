package dev.okr.webhooks.delivery;

import dev.okr.events.Event;
import dev.okr.organizations.audit.Change;
import dev.okr.platform.transactions.Sql;
import dev.okr.webhooks.delivery.Attempt.Made;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/**
 * Keeps the personal data of erased users out of the stored responses. A receiver may return the payload in its
 * response.
 *
 * <p>A response to an event of a user is stored only if the event still has the payload that was sent. An erasure changes
 * the event first and then removes the responses. The recorder locks the event, compares the payload, and then writes the
 * response. The lock on the row of the event orders the two. If the recorder is first, the erasure waits for its commit
 * and then finds its response. If the erasure is first, the recorder finds a locked event or another payload. So this also
 * holds for attempts that were in flight during the erasure. A later retry sends the new payload.
 */
public final class StoredResponses {
    /** Limits the time of a statement. An event has a delivery for each webhook. */
    private static final int MAX_EVENTS_PER_STATEMENT = 20;

    private static final String ERASE = """
            UPDATE delivery_attempt SET response = NULL
            WHERE organization_id = ? AND response IS NOT NULL AND delivery_id = ANY (ARRAY (
                SELECT id FROM delivery WHERE organization_id = ? AND event_id = ANY (?)))
            """;

    // Only an erasure and the deletion of events conflict with this lock. Their events are skipped, so the recorder
    // does not wait for them.
    private static final String LOCK_EVENTS = """
            SELECT id, payload FROM event WHERE organization_id = ? AND id = ANY (?) FOR KEY SHARE SKIP LOCKED
            """;

    private StoredResponses() {}

    /** Removes the responses to the deliveries of events. The caller has changed the events in the same transaction. */
    public static void erase(Change change, List<UUID> events) throws SQLException {
        for (int next = 0; next < events.size(); next += MAX_EVENTS_PER_STATEMENT) {
            var some = events.subList(next, Math.min(next + MAX_EVENTS_PER_STATEMENT, events.size()));
            change.sql().update(ERASE, change.organizationId(), change.organizationId(), some);
        }
    }

    /**
     * Returns the ids of the attempts whose responses must not be stored. Locks the events of the others until the
     * end of the transaction.
     */
    static Set<UUID> lockErased(Sql sql, UUID organizationId, List<Made> batch) throws SQLException {
        var erased = new HashSet<UUID>();
        var erasable = batch.stream()
                .filter(made -> made.outcome().response() != null)
                .filter(made -> Event.isErasable(made.attempt().eventType()))
                .toList();
        if (erasable.isEmpty()) {
            return erased;
        }
        var ids = erasable.stream()
                .map(made -> made.attempt().eventId())
                .distinct()
                .toList();
        var payloads = new HashMap<UUID, byte[]>();
        sql.list(row -> payloads.put(Sql.uuid(row, "id"), row.getBytes("payload")), LOCK_EVENTS, organizationId, ids);
        for (var made : erasable) {
            var sent = made.attempt().payload().small();
            // The events of users are small. If one were not, its response would not be stored.
            if (sent == null || !Arrays.equals(sent, payloads.get(made.attempt().eventId()))) {
                erased.add(made.id());
            }
        }
        return erased;
    }
}
