package dev.okr.objectives;

import dev.okr.organizations.tenant.TenantSql;
import dev.okr.platform.transactions.Restart;
import io.quarkus.arc.Arc;
import jakarta.transaction.TransactionSynchronizationRegistry;
import org.jspecify.annotations.Nullable;

/**
 * The advisory lock on the contributing alignments of an organisation, until the end of the transaction. A transaction
 * that changes them, or {@code rolls_up} of an objective, or closes or reopens a cycle, holds it exclusively. A
 * transaction that rolls progress up along them shares it.
 *
 * <p>It is taken before the locks on objectives, and after {@link TenantSql#lockOrganization}. A transaction that holds
 * the lock on an objective may not wait for it. It tries to share it ({@link #TRY}), or it is restarted.
 */
final class ContributionLock {
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

    /** Waits for the exclusive lock. The transaction holds no lock on an objective. */
    static void lock() {
        if (held() != Mode.EXCLUSIVE) {
            take(Mode.EXCLUSIVE);
        }
    }

    /** @throws Restart unless the transaction has taken the exclusive lock */
    static void requireExclusive() {
        if (held() != Mode.EXCLUSIVE) {
            throw new Restart(() -> take(Mode.EXCLUSIVE));
        }
    }

    /** @throws Restart unless the transaction has taken the lock */
    static void requireShared() {
        if (!isHeld()) {
            throw share();
        }
    }

    /** Restarts the transaction with the shared lock. */
    static Restart share() {
        return new Restart(() -> take(Mode.SHARED));
    }

    /** Whether the transaction has waited for the lock. */
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
