package dev.okr.transactions;

import dev.okr.errors.Failure;
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
    private static final String KEY = "okr.deadline-nanos";
    private static final Duration RETRY_AFTER = Duration.ofSeconds(2);
    private static final String TOO_LATE = "the time of the request is up";

    private Deadline() {}

    /** Gives the request under way so much time from now on. */
    public static void begin(Duration limit) {
        if (VertxContext.isOnDuplicatedContext()) {
            ContextLocals.put(KEY, System.nanoTime() + limit.toNanos());
        }
    }

    static boolean isPassed() {
        if (!VertxContext.isOnDuplicatedContext()) {
            return false;
        }
        Long deadlineNanos = ContextLocals.<Long>get(KEY).orElse(null);
        return deadlineNanos != null && System.nanoTime() - deadlineNanos > 0;
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
