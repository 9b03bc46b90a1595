package dev.okr.platform.transactions;

import dev.okr.platform.errors.Failure;
import io.quarkus.arc.Arc;
import io.quarkus.narayana.jta.QuarkusTransaction;
import jakarta.annotation.Priority;
import jakarta.interceptor.AroundInvoke;
import jakarta.interceptor.Interceptor;
import jakarta.interceptor.InvocationContext;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.ThreadLocalRandom;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/** Implements {@link RetriedTransaction}. */
@RetriedTransaction
@Interceptor
@Priority(Interceptor.Priority.PLATFORM_BEFORE + 100)
public class RetriedTransactionInterceptor {
    private static final Logger LOG = Logger.getLogger(RetriedTransactionInterceptor.class);
    private static final int MAX_RETRIES = 3;
    private static final int MAX_CAUSES = 5;
    private static final int MAX_PAUSE_MILLIS = 20;

    @AroundInvoke
    @Nullable
    Object run(InvocationContext invocation) throws Exception {
        return inRetriedTransaction(invocation::proceed);
    }

    /**
     * Runs work like {@link RetriedTransaction}, for interceptors that add work to the transaction. Work inside such a
     * transaction joins it, and is retried with it.
     */
    public static <T extends @Nullable Object> T inRetriedTransaction(Callable<T> work) throws Exception {
        if (QuarkusTransaction.isActive()) {
            return work.call();
        }
        Runnable lock = () -> {};
        for (int retries = 0; ; retries++) {
            try {
                var first = lock;
                return QuarkusTransaction.requiringNew().call(() -> {
                    Arc.container().instance(PendingWrites.class).get().checkCallerBeforeCommit();
                    LockTimeout.apply();
                    first.run();
                    return work.call();
                });
            } catch (Restart restart) {
                if (retries == MAX_RETRIES) {
                    throw Failure.busy();
                }
                restart.before().run();
                lock = Objects.requireNonNullElse(restart.lock(), lock);
            } catch (RuntimeException e) {
                if (!SqlFailures.isConflict(e)) {
                    throw unwrapped(e);
                }
                Deadlocks.count(e);
                if (retries == MAX_RETRIES) {
                    LOG.debugf(e, "The transaction still failed after %d retries", MAX_RETRIES);
                    throw Failure.busy();
                }
                if (Deadline.isPassed()) {
                    throw Deadline.failure();
                }
                // A random pause, so that the same two transactions do not collide again.
                Thread.sleep(ThreadLocalRandom.current().nextInt(1, MAX_PAUSE_MILLIS << retries));
            }
        }
    }

    /** The transaction manager wraps a failure of the work before the commit in exceptions of its own. */
    private static RuntimeException unwrapped(RuntimeException e) {
        Throwable cause = e;
        for (int causes = 0; causes < MAX_CAUSES && cause != null; causes++) {
            if (cause instanceof Failure failure) {
                return failure;
            }
            cause = cause.getCause();
        }
        return e;
    }
}
