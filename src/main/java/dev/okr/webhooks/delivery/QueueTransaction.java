package dev.okr.webhooks.delivery;

import dev.okr.platform.transactions.Sql;
import java.sql.SQLException;
import java.time.Instant;
import javax.sql.DataSource;

/**
 * Transactions on the queue's tables. These tables may be empty now and hold a million rows a minute later, so a cached
 * plan may read all rows. Each statement is therefore planned again, with index scans, independent of statistics. JIT
 * compilation is off because the statements read few rows, even if the planner estimates many.
 */
final class QueueTransaction {
    private static final String BEGIN = """
            SELECT set_config('enable_seqscan', 'off', true), set_config('jit', 'off', true), clock_timestamp() AS now
            """;

    private QueueTransaction() {}

    /** Work that needs the current time by the database's clock, which all replicas share. */
    @FunctionalInterface
    interface TimedWork<T> {
        T run(Sql sql, Instant now) throws SQLException;
    }

    /** Runs the work in one transaction. */
    static <T> T run(DataSource database, Sql.Work<T, RuntimeException> work) throws SQLException {
        return runAt(database, (sql, now) -> work.run(sql));
    }

    /** Runs work that needs the current time, in one transaction. */
    static <T> T runAt(DataSource database, TimedWork<T> work) throws SQLException {
        return Sql.<T, RuntimeException>transaction(database, sql -> {
            var now = sql.first(row -> Sql.instant(row, "now"), BEGIN).orElseThrow();
            return work.run(new Sql(sql.connection(), true), now);
        });
    }
}
