package dev.okr.platform.transactions;

import io.agroal.api.AgroalDataSource;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.transaction.Synchronization;
import jakarta.transaction.TransactionSynchronizationRegistry;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Collects the statements of a transaction that need no result, and sends them in one round trip before the commit.
 * {@code TenantSql} and Hibernate ({@link StatementGuard}) send the pending statements before their own statement, so
 * that it sees the changes. A plain {@link Sql} does not. Use a plain {@code Sql} only for tables that no pending
 * statement writes.
 */
@ApplicationScoped
public class PendingWrites {
    private final AgroalDataSource database;
    private final TransactionSynchronizationRegistry transactions;

    PendingWrites(AgroalDataSource database, TransactionSynchronizationRegistry transactions) {
        this.database = database;
        this.transactions = transactions;
    }

    /** Adds a statement to the current transaction. Statements run in the order in which they were added. */
    public void add(String statement, @Nullable Object... parameters) {
        queue().add(new Sql.Write(statement, parameters));
    }

    /** Registers an action to run before the commit. The action may add statements. */
    public void beforeCommit(Runnable action) {
        queue().actions.add(action);
    }

    /** Registers the check of the caller. It runs after the last statement of the transaction, even if none is pending. */
    void checkCallerBeforeCommit() {
        queue();
    }

    /** Sends the statements that were added so far. Does nothing without a transaction. */
    public void flush() {
        if (transactions.getTransactionKey() != null && transactions.getResource(this) instanceof Queue queue) {
            send(queue);
        }
    }

    /**
     * Removes the statements that were added so far. The caller runs them before its own statement, in one round trip.
     * If there are too many for that, it sends them itself and returns none.
     */
    public List<Sql.Write> take() {
        if (transactions.getTransactionKey() == null || !(transactions.getResource(this) instanceof Queue queue)) {
            return List.of();
        }
        var writes = List.copyOf(queue.writes);
        if (writes.stream().mapToInt(write -> write.parameters().length).sum() > Sql.MAX_PARAMETERS_PER_ROUND_TRIP) {
            send(queue);
            return List.of();
        }
        queue.writes.clear();
        return writes;
    }

    private Queue queue() {
        if (transactions.getResource(this) instanceof Queue known) {
            return known;
        }
        var queue = new Queue();
        transactions.putResource(this, queue);
        transactions.registerInterposedSynchronization(new Synchronization() {
            @Override
            public void beforeCompletion() {
                queue.actions.forEach(Runnable::run);
                send(queue);
                queue.closed = true;
                // Any statement may have waited for a lock. Hibernate has already sent its statements, because its
                // synchronization is not interposed and runs first.
                CallerCheck.beforeCommit();
            }

            @Override
            public void afterCompletion(int status) {
                // There is nothing to do after a commit or a rollback.
            }
        });
        return queue;
    }

    private void send(Queue queue) {
        if (queue.writes.isEmpty()) {
            return;
        }
        var writes = List.copyOf(queue.writes);
        queue.writes.clear();
        try (var connection = database.getConnection()) {
            new Sql(connection).updateAll(writes);
        } catch (SQLException e) {
            throw new IllegalStateException("The pending statements failed.", e);
        }
    }

    /** The statements and actions of one transaction. */
    private static final class Queue {
        private final List<Sql.Write> writes = new ArrayList<>();
        private final List<Runnable> actions = new ArrayList<>();
        private boolean closed;

        void add(Sql.Write write) {
            if (closed) {
                throw new IllegalStateException("A statement was added after the pending statements were sent.");
            }
            writes.add(write);
        }
    }
}
