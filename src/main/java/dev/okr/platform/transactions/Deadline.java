package dev.okr.platform.transactions;

import dev.okr.platform.errors.Failure;
import io.smallrye.common.vertx.ContextLocals;
import io.smallrye.common.vertx.VertxContext;
import java.sql.SQLTimeoutException;
import java.time.Duration;

/**
 * Until when the request under way may begin something in the database. Each wait there has a limit of its own; this
 * one is for all of them together: connections, statements, and the retries of a transaction. What was begun in time is
 * not cut off. Work that is nobody's request has no deadline.
 */
public final class Deadline {
    private static final String KEY = "okr.deadline";
    private static final Duration RETRY_AFTER = Duration.ofSeconds(2);
    private static final String TOO_LATE = "the time of the request is up";

    private volatile long atNanos;

    private Deadline(long atNanos) {
        this.atNanos = atNanos;
    }

    /** Gives the request under way so much time from now on. */
    public static Deadline begin(Duration limit) {
        var deadline = new Deadline(System.nanoTime() + limit.toNanos());
        if (VertxContext.isOnDuplicatedContext()) {
            ContextLocals.put(KEY, deadline);
        }
        return deadline;
    }

    /** Ends the time of the request now. */
    public void pass() {
        atNanos = System.nanoTime() - 1;
    }

    static boolean isPassed() {
        if (!VertxContext.isOnDuplicatedContext()) {
            return false;
        }
        var deadline = ContextLocals.<Deadline>get(KEY).orElse(null);
        return deadline != null && System.nanoTime() - deadline.atNanos > 0;
    }

    /** To be asked before each statement. */
    static void check() throws SQLTimeoutException {
        if (isPassed()) {
            throw new SQLTimeoutException(TOO_LATE);
        }
    }

    /** What the caller is told when the database, or all who use it at once, took too long. */
    public static Failure failure() {
        return Failure.unavailable("The database takes too long right now. Try again shortly.", RETRY_AFTER);
    }
}
