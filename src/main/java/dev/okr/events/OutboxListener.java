package dev.okr.events;

/**
 * Called after each commit that wrote events, on the thread that committed. The poller of webhooks implements it.
 */
public interface OutboxListener {
    void committed();
}
