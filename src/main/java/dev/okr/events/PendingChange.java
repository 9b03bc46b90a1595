package dev.okr.events;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A change that becomes an event when its transaction commits.
 *
 * @param data the resource as lists show it, in JSON
 * @param previous the old values of the changed fields, in JSON; only for an update
 * @param actor the user who made the change; null if the resource changed because time passed
 */
record PendingChange(
        UUID organizationId,
        EventType type,
        String resourceId,
        String data,
        @Nullable String previous,
        @Nullable UUID actor) {}
