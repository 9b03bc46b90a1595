package dev.okr.organizations.audit;

import dev.okr.platform.transactions.Sql;
import java.sql.SQLException;
import java.util.UUID;

/**
 * The advisory lock on the access of people to an organisation. A transaction that ends the access of a user shares it
 * before it waits for the lock on the organisation. An import holds the lock on the organisation for a long time. It
 * stops when another transaction shares this lock. So nobody can keep their access by importing.
 */
public final class AccessLock {
    private static final String KEY = "hashtextextended('okr.access ' || ?::text, 0)";
    private static final String SHARE = "SELECT pg_advisory_xact_lock_shared(" + KEY + ")";
    private static final String TRY = "SELECT pg_try_advisory_xact_lock(" + KEY + ")";

    private AccessLock() {}

    /** Call it before the lock on the organisation. The lock is held until the end of the transaction. */
    public static void share(Sql sql, UUID organization) throws SQLException {
        sql.first(row -> true, SHARE, organization);
    }

    /** Whether another transaction is ending the access of a user. Call it in a short transaction. */
    public static boolean isShared(Sql sql, UUID organization) throws SQLException {
        return !sql.first(row -> row.getBoolean(1), TRY, organization).orElseThrow();
    }
}
