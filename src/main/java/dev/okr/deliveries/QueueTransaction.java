package dev.okr.deliveries;

import dev.okr.transactions.Sql;
import java.sql.SQLException;
import javax.sql.DataSource;

/**
 * Transactions on the queue's tables. They are empty at one moment and hold a million rows at the next, and a plan that
 * was made for the one and kept for the other reads all of them: so statements are planned each time, and by the
 * indexes, whatever the statistics say. Nor are they compiled: they read a few rows, however many the planner expects.
 */
final class QueueTransaction {
    private static final String BY_INDEX =
            "SELECT set_config('enable_seqscan', 'off', true), set_config('jit', 'off', true)";

    private QueueTransaction() {}

    /** Does all of the work or, when it throws, none of it. */
    static <T> T run(DataSource database, Sql.Work<T, RuntimeException> work) throws SQLException {
        return Sql.transaction(database, sql -> {
            sql.first(row -> true, BY_INDEX);
            return work.run(new Sql(sql.connection(), true));
        });
    }
}
