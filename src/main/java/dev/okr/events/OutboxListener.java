package dev.okr.events;

/** Is called after each commit that wrote events, on the thread that committed. */
public interface OutboxListener {
    void committed();
}
