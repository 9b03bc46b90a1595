package dev.okr.events;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** Collects events as one array per column, so that one statement inserts any number of rows. */
final class EventRows {
    private final List<UUID> organizationIds = new ArrayList<>();
    private final List<UUID> ids = new ArrayList<>();
    private final List<String> types = new ArrayList<>();
    private final List<String> resourceIds = new ArrayList<>();
    private final List<Instant> moments = new ArrayList<>();
    private final List<String> payloads = new ArrayList<>();

    void add(PendingChange change, UUID id, Instant at, String payload) {
        organizationIds.add(change.organizationId());
        ids.add(id);
        types.add(change.type().type());
        resourceIds.add(change.resourceId());
        moments.add(at);
        payloads.add(payload);
    }

    /** The arrays, in the order of the columns in the INSERT statement. */
    Object[] columns() {
        return new Object[] {organizationIds, ids, types, resourceIds, moments, payloads};
    }
}
