package dev.okr.objectives.overview;

import dev.okr.platform.transactions.Sql;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;

/** Runs several reading statements in one snapshot. They hold no locks that writers wait for. */
final class Snapshot {
    /** Shorter than the read timeout of the socket, which would close the connection. */
    private static final Duration STATEMENT_TIMEOUT = Duration.ofMillis(2_000);

    private Snapshot() {}

    static <T> T read(DataSource database, Sql.Work<T, RuntimeException> work) throws SQLException {
        return Sql.transaction(database, sql -> {
            sql.update("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY");
            sql.update("SET LOCAL statement_timeout = " + STATEMENT_TIMEOUT.toMillis());
            // Each execution is planned again, because a cycle may have three objectives or a hundred thousand.
            return work.run(new Sql(sql.connection(), true));
        });
    }
}
