package dev.okr.events;

import java.util.Set;
import java.util.UUID;

/**
 * Called after each commit that wrote events, on the thread that committed. The poller of webhooks implements it.
 */
public interface OutboxListener {
    /** @param organizations the organisations of the events */
    void committed(Set<UUID> organizations);
}
