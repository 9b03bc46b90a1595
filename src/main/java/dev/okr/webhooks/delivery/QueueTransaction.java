package dev.okr.webhooks.delivery;

import dev.okr.platform.transactions.Sql;
import java.sql.SQLException;
import java.time.Instant;
import javax.sql.DataSource;

/**
 * Transactions on the queue's tables. They are empty at one moment and hold a million rows at the next, and a plan that
 * was made for the one and kept for the other reads all of them: so statements are planned each time, and by the
 * indexes, whatever the statistics say. Nor are they compiled: they read a few rows, however many the planner expects.
 */
final class QueueTransaction {
    private static final String BEGIN = """
            SELECT set_config('enable_seqscan', 'off', true), set_config('jit', 'off', true), clock_timestamp() AS now
            """;

    private QueueTransaction() {}

    /** What is done at a moment of the clock that all replicas share. */
    @FunctionalInterface
    interface TimedWork<T> {
        T run(Sql sql, Instant now) throws SQLException;
    }

    /** Does all of the work or, when it throws, none of it. */
    static <T> T run(DataSource database, Sql.Work<T, RuntimeException> work) throws SQLException {
        return runAt(database, (sql, now) -> work.run(sql));
    }

    /** The same, for what goes by the time. */
    static <T> T runAt(DataSource database, TimedWork<T> work) throws SQLException {
        return Sql.<T, RuntimeException>transaction(database, sql -> {
            var now = sql.first(row -> Sql.instant(row, "now"), BEGIN).orElseThrow();
            return work.run(new Sql(sql.connection(), true), now);
        });
    }
}
