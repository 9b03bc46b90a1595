package dev.okr.organizations.audit;

import dev.okr.platform.transactions.Sql;
import java.sql.SQLException;
import java.util.UUID;

/**
 * The advisory lock on the access of a user. A transaction that ends the access shares it before it waits for the lock
 * on the organisation. An import holds the lock on the organisation for a long time. It stops when another transaction
 * shares the lock on the user who imports. So nobody can keep their access by importing.
 *
 * <p>The key of the lock contains the organisation. So a request that names a user of another organisation does not
 * stop that user's import.
 */
public final class AccessLock {
    private static final String KEY = "hashtextextended('okr.access ' || ?::text || ?::text, 0)";
    private static final String SHARE = "SELECT pg_advisory_xact_lock_shared(" + KEY + ")";
    private static final String TRY = "SELECT pg_try_advisory_xact_lock(" + KEY + ")";

    /** Stands for all users of an organisation. */
    private static final UUID EVERYBODY = new UUID(0, 0);

    private AccessLock() {}

    /** Call it before the lock on the organisation. The lock is held until the end of the transaction. */
    public static void share(Sql sql, UUID organization, UUID user) throws SQLException {
        sql.first(row -> true, SHARE, organization, user);
    }

    /** Like {@link #share}, for a change that can end the access of several users. */
    public static void shareAll(Sql sql, UUID organization) throws SQLException {
        share(sql, organization, EVERYBODY);
    }

    /** Whether another transaction is ending the access of the user. Call it in a short transaction. */
    public static boolean isShared(Sql sql, UUID organization, UUID user) throws SQLException {
        return !isFree(sql, organization, user) || !isFree(sql, organization, EVERYBODY);
    }

    private static boolean isFree(Sql sql, UUID organization, UUID user) throws SQLException {
        return sql.first(row -> row.getBoolean(1), TRY, organization, user).orElseThrow();
    }
}
