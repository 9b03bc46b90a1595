package dev.okr.events;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A change that becomes an event when its transaction commits.
 *
 * @param data the resource as a list shows it, as JSON
 * @param previous the old values of the changed fields, as JSON; none but for an update
 * @param actor the user who did it; none where no person acted
 */
record PendingChange(
        UUID organizationId,
        EventType type,
        String resourceId,
        String data,
        @Nullable String previous,
        @Nullable UUID actor) {}
