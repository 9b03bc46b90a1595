package dev.okr.platform.idempotency;

/** Ends a request that was answered before. {@link Replays} sends the stored response. */
final class Replay extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient StoredResponse response;

    Replay(StoredResponse response) {
        super("replayed", null, false, false);
        this.response = response;
    }

    StoredResponse response() {
        return response;
    }
}
