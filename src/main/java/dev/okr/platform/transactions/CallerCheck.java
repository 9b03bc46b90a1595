package dev.okr.platform.transactions;

import io.quarkus.narayana.jta.QuarkusTransaction;
import io.quarkus.narayana.jta.QuarkusTransactionException;
import io.smallrye.common.vertx.ContextLocals;
import io.smallrye.common.vertx.VertxContext;
import java.time.Duration;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Identifies the caller of the current request again after a wait. The key or the user may have changed meanwhile.
 * Changes of keys and users must take effect within five seconds, also on a request that waits for a lock.
 */
public final class CallerCheck {
    private static final String KEY = "okr.caller-check";

    /** The rest of the five seconds is for the commit. */
    private static final long MAX_AGE_NANOS = Duration.ofMillis(4_800).toNanos();

    private final LongSupplier identify;
    private long identifiedNanos;

    private CallerCheck(long identifiedNanos, LongSupplier identify) {
        this.identifiedNanos = identifiedNanos;
        this.identify = identify;
    }

    /**
     * Sets how the caller of the current request is identified again.
     *
     * @param identifiedNanos when the data of the caller were read, by {@link System#nanoTime}
     * @param identify reads them again if they can be outdated, and returns when they were read. It throws a failure if
     *     the caller may no longer make the request.
     */
    public static void set(long identifiedNanos, LongSupplier identify) {
        if (VertxContext.isOnDuplicatedContext()) {
            ContextLocals.put(KEY, new CallerCheck(identifiedNanos, identify));
        }
    }

    /** Identifies the caller again. Does nothing if the current request has no caller. */
    public static void repeat() {
        var check = current();
        if (check != null) {
            check.identify();
        }
    }

    /**
     * Identifies the caller again if the last identification is too old. Called before the commit, after all statements
     * of a {@link RetriedTransaction}, or of another transaction with {@link PendingWrites}. The caller is read on another connection, so changes of the transaction itself do not
     * count.
     *
     * @throws RuntimeException if the caller may no longer make the request
     */
    static void beforeCommit() {
        var check = current();
        if (check != null && System.nanoTime() - check.identifiedNanos > MAX_AGE_NANOS) {
            try {
                QuarkusTransaction.suspendingExisting().run(check::identify);
            } catch (QuarkusTransactionException e) {
                throw e.getCause() instanceof RuntimeException cause ? cause : e;
            }
        }
    }

    private void identify() {
        identifiedNanos = identify.getAsLong();
    }

    private static @Nullable CallerCheck current() {
        return VertxContext.isOnDuplicatedContext()
                ? ContextLocals.<CallerCheck>get(KEY).orElse(null)
                : null;
    }
}
