package dev.okr.platform.transactions;

import dev.okr.platform.errors.Failure;
import io.smallrye.common.vertx.ContextLocals;
import io.smallrye.common.vertx.VertxContext;
import java.sql.SQLTimeoutException;
import java.time.Duration;

/**
 * The time after which a request starts no more database work. Each wait for the database has its own limit. This
 * deadline limits their sum: waits for connections, statements, and retries of a transaction. Work that was started
 * before the deadline is not cancelled. Background jobs have no deadline.
 */
public final class Deadline {
    private static final String KEY = "okr.deadline";
    private static final Duration RETRY_AFTER = Duration.ofSeconds(2);
    private static final String TOO_LATE = "The deadline of the request has passed.";

    private volatile long atNanos;
    private boolean isOver;

    private Deadline(long atNanos) {
        this.atNanos = atNanos;
    }

    /** Sets the deadline of the current request. */
    public static Deadline begin(Duration limit) {
        var deadline = new Deadline(System.nanoTime() + limit.toNanos());
        if (VertxContext.isOnDuplicatedContext()) {
            ContextLocals.put(KEY, deadline);
        }
        return deadline;
    }

    /** Sets the deadline again, after the request has arrived. Does nothing after {@link #pass}. */
    public synchronized void restart(Duration limit) {
        if (!isOver) {
            atNanos = System.nanoTime() + limit.toNanos();
        }
    }

    /** Lets the deadline pass for ever, because nobody waits for the response. */
    public synchronized void pass() {
        isOver = true;
        atNanos = System.nanoTime() - 1;
    }

    static boolean isPassed() {
        if (!VertxContext.isOnDuplicatedContext()) {
            return false;
        }
        var deadline = ContextLocals.<Deadline>get(KEY).orElse(null);
        return deadline != null && System.nanoTime() - deadline.atNanos > 0;
    }

    /** Must be called before each statement. */
    static void check() throws SQLTimeoutException {
        if (isPassed()) {
            throw new SQLTimeoutException(TOO_LATE);
        }
    }

    /** The failure to report when the database takes too long. */
    public static Failure failure() {
        return Failure.unavailable("The database is taking too long to respond. Try again shortly.", RETRY_AFTER);
    }
}
