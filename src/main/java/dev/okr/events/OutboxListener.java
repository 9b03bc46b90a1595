package dev.okr.events;

/** Told when there are new events, right after their transaction has committed, on the thread that committed it. */
public interface OutboxListener {
    void committed();
}
