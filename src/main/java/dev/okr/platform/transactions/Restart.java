package dev.okr.platform.transactions;

/**
 * Restarts a {@link RetriedTransaction} that needs a lock but must not wait for it, because it already holds other
 * locks. The transaction is rolled back and runs again. The next attempt takes the lock first.
 */
public final class Restart extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient Runnable lock;

    /** @param lock takes the lock, at the beginning of the next transaction */
    public Restart(Runnable lock) {
        super("restarted", null, false, false);
        this.lock = lock;
    }

    Runnable lock() {
        return lock;
    }
}
