package dev.okr.platform.transactions;

import java.io.InterruptedIOException;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.sql.SQLTransientConnectionException;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import org.postgresql.util.PSQLException;

/** Classifies failed statements by PostgreSQL's error codes (appendix A of its manual). */
public final class SqlFailures {
    /** The largest number of causes and suppressed exceptions to examine. */
    private static final int MAX_CAUSES = 32;

    /** deadlock_detected */
    private static final String DEADLOCK = "40P01";

    private static final Set<String> CONFLICTS = Set.of(
            "40001", // serialization_failure
            DEADLOCK,
            // The service checks keys before it writes. So a violated key means that another transaction wrote in
            // between. The retry sees the row of the other transaction, and reports it to the caller.
            "23503", // foreign_key_violation
            "23505"); // unique_violation

    /** query_canceled */
    private static final String STATEMENT_TIMEOUT = "57014";

    /** lock_not_available */
    private static final String LOCK_TIMEOUT = "55P03";

    private static final Set<String> LATE = Set.of(
            STATEMENT_TIMEOUT,
            LOCK_TIMEOUT,
            "25P03", // idle_in_transaction_session_timeout
            "25P04"); // transaction_timeout

    private static final Set<String> UNAVAILABLE = Set.of(
            "57P01", // admin_shutdown
            "57P02", // crash_shutdown
            "57P03", // cannot_connect_now
            "57P05", // idle_session_timeout
            "58030", // io_error
            "25006"); // read_only_sql_transaction: this server is no longer the primary

    private static final Set<String> UNAVAILABLE_CLASSES = Set.of(
            "08", // connection_exception
            "53"); // insufficient_resources: disk, memory, connections

    private SqlFailures() {}

    /** Whether a concurrent transaction caused the failure, so that a retry can succeed. */
    public static boolean isConflict(Throwable failure) {
        return anyCause(failure, sql -> CONFLICTS.contains(state(sql)));
    }

    static boolean isDeadlock(Throwable failure) {
        return anyCause(failure, sql -> state(sql).equals(DEADLOCK));
    }

    /** Whether the database could not be reached, was overloaded or took too long. */
    public static boolean isUnavailable(Throwable failure) {
        return anyCause(
                failure,
                sql -> isLate(sql)
                        || UNAVAILABLE.contains(state(sql))
                        || isOfUnavailableClass(sql)
                        || sql instanceof SQLTransientConnectionException
                        || isPoolTimeout(sql)
                        || isAbandonedConnect(sql));
    }

    /**
     * Whether a worker of a distributed schema may be the cause. This is so if the coordinator reports a failed
     * connection, insufficient resources or a statement timeout. It is also so if the coordinator does not respond in
     * time. A failure to connect to the coordinator does not count ({@link Workers#connect}).
     */
    static boolean mayBeOfWorker(Throwable failure) {
        return !(failure instanceof SQLTransientConnectionException)
                && anyCause(
                        failure,
                        sql -> isReportedByServer(sql)
                                        && (isOfUnavailableClass(sql)
                                                || state(sql).equals(STATEMENT_TIMEOUT))
                                || sql.getCause() instanceof InterruptedIOException);
    }

    /** Whether the server has sent the error. Errors of the connection itself come from the driver. */
    static boolean isReportedByServer(SQLException sql) {
        return sql instanceof PSQLException reported && reported.getServerErrorMessage() != null;
    }

    /** Whether another transaction held a lock for too long. */
    public static boolean isLockTimeout(Throwable failure) {
        return anyCause(failure, sql -> state(sql).equals(LOCK_TIMEOUT));
    }

    /** Whether a statement was cancelled or not started because of a timeout. */
    public static boolean isTimeout(Throwable failure) {
        return anyCause(failure, SqlFailures::isLate);
    }

    /** Like {@link #isTimeout}, but also if the driver no longer waited for the response of the database. */
    public static boolean tookTooLong(Throwable failure) {
        return anyCause(failure, sql -> isLate(sql) || sql.getCause() instanceof InterruptedIOException);
    }

    /**
     * The reason of a failure in one line, for a log. It is the first line of the root cause. PostgreSQL may quote a
     * row in further lines, so they are omitted.
     */
    public static String reason(Throwable failure) {
        var root = failure;
        for (int causes = 0; causes < MAX_CAUSES && root.getCause() != null && root.getCause() != root; causes++) {
            root = root.getCause();
        }
        var reason = root instanceof SQLException && root.getMessage() != null ? root.getMessage() : root.toString();
        return reason.lines().findFirst().orElse(reason);
    }

    private static boolean isOfUnavailableClass(SQLException sql) {
        return UNAVAILABLE_CLASSES.stream().anyMatch(state(sql)::startsWith);
    }

    private static boolean isLate(SQLException sql) {
        return LATE.contains(state(sql)) || sql instanceof SQLTimeoutException;
    }

    /** Agroal throws an SQLException without a state if its pool is exhausted or closed or cannot connect. */
    private static boolean isPoolTimeout(SQLException sql) {
        var message = sql.getMessage();
        return sql.getSQLState() == null
                && message != null
                && (message.contains("cquisition timeout") || message.contains("pool is closed"));
    }

    /** Agroal interrupts a thread that takes too long to connect. The driver reports that as an unexpected error. */
    private static boolean isAbandonedConnect(SQLException sql) {
        return state(sql).equals("99999")
                && sql.getCause() != null
                && String.valueOf(sql.getCause().getMessage()).startsWith("Interrupted while attempting to connect");
    }

    private static String state(SQLException sql) {
        return sql.getSQLState() == null ? "" : sql.getSQLState();
    }

    /** Examines suppressed exceptions too, because a failed commit reports its reason only there. */
    private static boolean anyCause(Throwable failure, Predicate<SQLException> test) {
        var seen = Collections.newSetFromMap(new IdentityHashMap<Throwable, Boolean>());
        var left = new ArrayDeque<Throwable>();
        left.add(failure);
        while (!left.isEmpty() && seen.size() < MAX_CAUSES) {
            var each = left.remove();
            if (each instanceof SQLException sql && test.test(sql)) {
                return true;
            }
            if (seen.add(each)) {
                Optional.ofNullable(each.getCause()).ifPresent(left::add);
                left.addAll(List.of(each.getSuppressed()));
            }
        }
        return false;
    }
}
