package dev.okr.platform.transactions;

import io.quarkus.arc.Arc;
import io.quarkus.narayana.jta.QuarkusTransaction;
import io.smallrye.common.vertx.ContextLocals;
import io.smallrye.common.vertx.VertxContext;

/**
 * A shorter {@code lock_timeout} for a request that must not wait long, because others wait for it. It does not
 * apply on the workers of a distributed schema.
 */
public final class LockTimeout {
    private static final String KEY = "okr.short-lock-timeout";
    // Shorter than deadlock_timeout (1 s). So in a deadlock, this request usually gets 503, and the other one
    // continues.
    // PostgreSQL may abort the other one if it has waited longer.
    private static final String SHORT = "SET LOCAL lock_timeout = '400ms'";

    private LockTimeout() {}

    /** Applies to the current transaction and to all further ones of the current request. */
    public static void shorten() {
        if (VertxContext.isOnDuplicatedContext()) {
            ContextLocals.put(KEY, true);
        }
        if (QuarkusTransaction.isActive()) {
            set();
        }
    }

    /** Must be called at the beginning of each transaction. */
    static void apply() {
        if (VertxContext.isOnDuplicatedContext()
                && ContextLocals.<Boolean>get(KEY).orElse(false)) {
            set();
        }
    }

    private static void set() {
        var writes = Arc.container().instance(PendingWrites.class).get();
        writes.add(SHORT);
        // The next statement may be a plain Sql, which does not send the pending statements.
        writes.flush();
    }
}
