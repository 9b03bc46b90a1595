package dev.okr.platform.transactions;

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

/** Tells from PostgreSQL's error codes (appendix A of its manual) what a failed statement means for the caller. */
public final class SqlFailures {
    /** More than this are not looked at. */
    private static final int MAX_CAUSES = 32;

    private static final Set<String> CONFLICTS = Set.of(
            "40001", // serialization_failure
            "40P01", // deadlock_detected
            // A unique or foreign key violated after the rules had looked: another transaction came between.
            // Looking again tells what it did, in words for the caller.
            "23503", // foreign_key_violation
            "23505"); // unique_violation

    private static final Set<String> LATE = Set.of(
            "57014", // query_canceled: the statement time-out
            "55P03", // lock_not_available: the lock time-out
            "25P03", // idle_in_transaction_session_timeout
            "25P04"); // transaction_timeout

    private static final Set<String> AWAY = Set.of(
            "57P01", // admin_shutdown
            "57P02", // crash_shutdown
            "57P03", // cannot_connect_now
            "57P05", // idle_session_timeout
            "58030", // io_error
            "25006"); // read_only_sql_transaction: the primary has moved

    private static final Set<String> AWAY_CLASSES = Set.of(
            "08", // connection_exception
            "53"); // insufficient_resources: disk, memory, connections

    private SqlFailures() {}

    /** Whether a concurrent transaction caused this, so that another try can succeed. */
    public static boolean isConflict(Throwable failure) {
        return anyCause(failure, sql -> CONFLICTS.contains(state(sql)));
    }

    /** Whether the database could not be reached or could not serve anyone. */
    public static boolean isUnavailable(Throwable failure) {
        return anyCause(
                failure,
                sql -> isLate(sql)
                        || AWAY.contains(state(sql))
                        || AWAY_CLASSES.stream().anyMatch(state(sql)::startsWith)
                        || sql instanceof SQLTransientConnectionException
                        || isPoolTimeout(sql)
                        || isAbandonedConnect(sql));
    }

    /** Whether a statement was ended, or not begun, because the time was up. */
    public static boolean isTimeout(Throwable failure) {
        return anyCause(failure, SqlFailures::isLate);
    }

    /**
     * Why a statement failed, in one line for a log: what the database or its driver said, if it was either. Further
     * lines of theirs are left out, because they may quote a row.
     */
    public static String reason(Throwable failure) {
        var root = failure;
        for (int causes = 0; causes < MAX_CAUSES && root.getCause() != null && root.getCause() != root; causes++) {
            root = root.getCause();
        }
        var reason = root instanceof SQLException && root.getMessage() != null ? root.getMessage() : root.toString();
        return reason.lines().findFirst().orElse(reason);
    }

    private static boolean isLate(SQLException sql) {
        return LATE.contains(state(sql)) || sql instanceof SQLTimeoutException;
    }

    /** Agroal reports a pool that is exhausted, shut or cannot connect as an SQLException without a state. */
    private static boolean isPoolTimeout(SQLException sql) {
        var message = sql.getMessage();
        return sql.getSQLState() == null
                && message != null
                && (message.contains("cquisition timeout") || message.contains("pool is closed"));
    }

    /** Agroal gives up waiting by interrupting whoever connects, which the driver takes for something unusual. */
    private static boolean isAbandonedConnect(SQLException sql) {
        return state(sql).equals("99999")
                && sql.getCause() != null
                && String.valueOf(sql.getCause().getMessage()).startsWith("Interrupted while attempting to connect");
    }

    private static String state(SQLException sql) {
        return sql.getSQLState() == null ? "" : sql.getSQLState();
    }

    /** Looks at what was suppressed too: there alone does a commit that failed say why. */
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
