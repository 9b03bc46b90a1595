package dev.okr.platform.transactions;

import org.jspecify.annotations.Nullable;

/**
 * Restarts a {@link RetriedTransaction} that would have to wait while it holds locks and a connection. The transaction
 * is rolled back and runs again.
 */
public final class Restart extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient Runnable before;
    private final transient @Nullable Runnable lock;

    private Restart(Runnable before, @Nullable Runnable lock) {
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
        return new Restart(wait, null);
    }

    Runnable before() {
        return before;
    }

    /** Null keeps the lock of the previous restart. */
    @Nullable
    Runnable lock() {
        return lock;
    }
}
