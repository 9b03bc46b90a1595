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
 * Statements of the transaction under way that nobody waits for. They are sent together, in one round trip, just before
 * the transaction commits, or earlier if something is to be read that they may have changed.
 */
@ApplicationScoped
public class PendingWrites {
    private final AgroalDataSource database;
    private final TransactionSynchronizationRegistry transactions;

    PendingWrites(AgroalDataSource database, TransactionSynchronizationRegistry transactions) {
        this.database = database;
        this.transactions = transactions;
    }

    /** Has a statement run before the transaction commits, after those that were added before it. */
    public void add(String statement, @Nullable Object... parameters) {
        var queue = queue();
        queue.writes.add(new Sql.Write(statement, parameters));
        if (queue.completing) {
            // What is added by others while the transaction completes may come after the last look at the queue.
            send(queue);
        }
    }

    /** Sends what has been added so far. */
    public void flush() {
        if (transactions.getResource(this) instanceof Queue queue) {
            send(queue);
        }
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
                queue.completing = true;
                send(queue);
            }

            @Override
            public void afterCompletion(int status) {
                // Sent or not, by now it does not matter.
            }
        });
        return queue;
    }

    private void send(Queue queue) {
        if (queue.writes.isEmpty()) {
            return;
        }
        try (var connection = database.getConnection()) {
            new Sql(connection).updateAll(queue.writes);
        } catch (SQLException e) {
            throw new IllegalStateException("changes were not written", e);
        }
        queue.writes.clear();
    }

    /** What one transaction has still to write. */
    private static final class Queue {
        private final List<Sql.Write> writes = new ArrayList<>();
        private boolean completing;
    }
}
