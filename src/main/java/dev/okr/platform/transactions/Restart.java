package dev.okr.platform.transactions;

/**
 * Restarts a {@link RetriedTransaction} that would have to wait while it holds locks and a connection. The transaction
 * is rolled back and runs again.
 */
public final class Restart extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient Runnable before;
    private final transient Runnable lock;

    private Restart(Runnable before, Runnable lock) {
        super("restarted", null, false, false);
        this.before = before;
        this.lock = lock;
    }

    /** @param lock takes a lock, at the beginning of the next transaction */
    public static Restart withLock(Runnable lock) {
        return new Restart(() -> {}, lock);
    }

    /** @param wait waits before the next transaction begins */
    public static Restart after(Runnable wait) {
        return new Restart(wait, () -> {});
    }

    Runnable before() {
        return before;
    }

    Runnable lock() {
        return lock;
    }
}
