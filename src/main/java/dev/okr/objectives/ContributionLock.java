package dev.okr.objectives;

import dev.okr.organizations.tenant.TenantSql;
import dev.okr.platform.transactions.Restart;
import io.quarkus.arc.Arc;
import jakarta.transaction.TransactionSynchronizationRegistry;
import org.jspecify.annotations.Nullable;

/**
 * The advisory lock on the contributing alignments of an organisation. It is held until the end of the transaction. A
 * transaction holds it exclusively to change these alignments or {@code rolls_up}, or to close or reopen a cycle. A
 * transaction shares it to roll progress up along the alignments, or to delete an objective that is aligned.
 *
 * <p>It is taken after {@link TenantSql#lockOrganization} and before the locks on objectives. A transaction that
 * already holds the lock on an objective must not wait for this lock. It can try to share it ({@link #TRY}). Otherwise
 * it is restarted.
 */
public final class ContributionLock {
    private static final String KEY = "hashtextextended('okr.contributions ' || :organization::text, 0)";

    /** Shares the lock, unless another transaction holds or wants it exclusively. */
    static final String TRY = "SELECT pg_try_advisory_xact_lock_shared(" + KEY + ") AS locked";

    private static final String SHARE = "SELECT pg_advisory_xact_lock_shared(" + KEY + ")";
    private static final String LOCK = "SELECT pg_advisory_xact_lock(" + KEY + ")";

    private enum Mode {
        SHARED,
        EXCLUSIVE
    }

    private ContributionLock() {}

    /** Waits for the exclusive lock. The transaction must not hold a lock on an objective that others see. */
    public static void lock() {
        if (held() != Mode.EXCLUSIVE) {
            take(Mode.EXCLUSIVE);
        }
    }

    /** @throws Restart unless the transaction has taken the exclusive lock */
    static void requireExclusive() {
        if (held() != Mode.EXCLUSIVE) {
            throw Restart.withLock(() -> take(Mode.EXCLUSIVE));
        }
    }

    /** @throws Restart unless the transaction has taken the lock */
    static void requireShared() {
        if (!isHeld()) {
            throw share();
        }
    }

    /** Returns the exception that restarts the transaction with the shared lock. */
    static Restart share() {
        return Restart.withLock(() -> take(Mode.SHARED));
    }

    /** Whether the transaction has taken the lock in either mode. {@link #TRY} does not count. */
    static boolean isHeld() {
        return held() != null;
    }

    private static void take(Mode mode) {
        TenantSql.current().first(row -> true, mode == Mode.EXCLUSIVE ? LOCK : SHARE);
        transaction().putResource(ContributionLock.class, mode);
    }

    private static @Nullable Object held() {
        return transaction().getResource(ContributionLock.class);
    }

    private static TransactionSynchronizationRegistry transaction() {
        return Arc.container()
                .instance(TransactionSynchronizationRegistry.class)
                .get();
    }
}
