package dev.okr.access.limits;

import dev.okr.platform.errors.Failure;
import dev.okr.platform.transactions.Deadline;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The shares that a request uses, and its turn at the database. The turn ends when the response is in memory, at the
 * latest with the work of the request. The shares are returned after the client has taken the response. If the client
 * disconnects, they are returned after the work has ended. Otherwise a client could start new work by disconnecting.
 */
final class Place {
    private final String network;
    private final Deadline deadline;
    private final List<Runnable> returns = new ArrayList<>();
    private @Nullable Runnable leavePool;
    private @Nullable Runnable endTurn;
    private @Nullable CompletableFuture<?> awaited;
    private long bodyBytes;
    private boolean isWorking;
    private boolean isGone;
    private boolean isClosed;

    /** @param network the network of the client */
    Place(String network, Deadline deadline) {
        this.network = network;
        this.deadline = deadline;
    }

    String network() {
        return network;
    }

    Deadline deadline() {
        return deadline;
    }

    /**
     * Takes a part of the shares of a holder. Returns false if the holder has none left.
     *
     * @param max if it is 0, there is no limit and nothing is counted
     */
    synchronized <K> boolean take(Shares<K> shares, K holder, long amount, long max) {
        if (max == 0) {
            return true;
        }
        if (isClosed || !shares.take(holder, amount, max)) {
            return isClosed;
        }
        returns.add(() -> shares.release(holder, amount));
        return true;
    }

    /** Memory that is taken in parts and released all together. */
    interface Memory {
        /** Returns false if too little is left. */
        boolean take(long bytes);

        void release(long bytes);
    }

    /** Takes memory for a part of the body. A body can arrive in a million parts, so the place only keeps their sum. */
    synchronized boolean takeForBody(Memory memory, long bytes) {
        if (isClosed || !memory.take(bytes)) {
            return isClosed;
        }
        if (bodyBytes == 0) {
            returns.add(() -> memory.release(bodyBytes));
        }
        bodyBytes += bytes;
        return true;
    }

    /** Runs the action when the request returns its shares. If it has returned them, runs the action at once. */
    synchronized void whenClosed(Runnable action) {
        if (isClosed) {
            action.run();
        } else {
            returns.add(action);
        }
    }

    /** Takes a place in the pool for clients that are not known. */
    synchronized boolean enter(Budget<String> pool) {
        if (isClosed || !pool.take(network, 1)) {
            return isClosed;
        }
        leavePool = () -> pool.release(network, 1);
        return true;
    }

    /** Returns the place in the pool. */
    synchronized void leavePool() {
        if (leavePool != null) {
            leavePool.run();
            leavePool = null;
        }
    }

    /**
     * Holds a turn until {@link #endTurn} is called or the work ends. If the request has ended or already has a turn,
     * the new turn ends at once.
     *
     * @param end ends the turn
     * @throws IllegalStateException if the request already has a turn
     */
    void holdTurn(Runnable end) {
        boolean isHeld = false;
        try {
            isHeld = setTurn(end);
        } finally {
            if (!isHeld) {
                end.run();
            }
        }
    }

    private synchronized boolean setTurn(Runnable end) {
        if (endTurn != null) {
            throw new IllegalStateException("The request already has a turn.");
        }
        endTurn = isClosed ? null : end;
        return !isClosed;
    }

    synchronized boolean hasTurn() {
        return endTurn != null;
    }

    /** Runs the action after the end of the turn. If there is no turn, runs it at once. */
    void whenTurnEnds(Runnable action) {
        if (!addToTurn(action)) {
            action.run();
        }
    }

    private synchronized boolean addToTurn(Runnable action) {
        var first = endTurn;
        if (first != null) {
            endTurn = () -> {
                try {
                    first.run();
                } finally {
                    action.run();
                }
            };
        }
        return first != null;
    }

    /** Sets the future that the request waits for. The future fails when the client disconnects. */
    void await(CompletableFuture<?> next) {
        if (setAwaited(next)) {
            next.completeExceptionally(gone());
        }
    }

    private synchronized boolean setAwaited(CompletableFuture<?> next) {
        awaited = next;
        return isGone || isClosed;
    }

    /** Lets the request fail, if it waits for something. */
    boolean fail(Failure failure) {
        var next = awaited();
        return next != null && next.completeExceptionally(failure);
    }

    private synchronized @Nullable CompletableFuture<?> awaited() {
        return awaited;
    }

    /** The work of the request begins. It needs one call of {@link #endWork}. */
    synchronized void beginWork() {
        isWorking = true;
    }

    /** Ends the turn before the work ends. The rest of the work must not use the database much. */
    void endTurn() {
        run(turn());
    }

    /** The response was given to the connection, or was not possible. */
    void endWork() {
        run(turn());
        if (stopWorking()) {
            close();
        }
    }

    private synchronized @Nullable Runnable turn() {
        var turn = endTurn;
        endTurn = null;
        return turn;
    }

    private synchronized boolean stopWorking() {
        isWorking = false;
        return isGone;
    }

    /**
     * Must be called once, when the client has taken the response or has disconnected. Returns false if the request
     * still works for a client that has disconnected.
     */
    boolean leave(boolean isTaken) {
        if (!isTaken) {
            // The request must not start more database work.
            deadline.pass();
        }
        if (isTaken || !isLeft()) {
            close();
            return true;
        }
        fail(gone());
        return isClosed();
    }

    private synchronized boolean isClosed() {
        return isClosed;
    }

    private synchronized boolean isLeft() {
        isGone = true;
        return isWorking;
    }

    /** Returns everything. */
    void close() {
        run(turn());
        returnAll();
    }

    private synchronized void returnAll() {
        isClosed = true;
        leavePool();
        returns.forEach(Runnable::run);
        returns.clear();
    }

    /** Outside the lock, because the end of a turn resumes another request. */
    private static void run(@Nullable Runnable endOfTurn) {
        if (endOfTurn != null) {
            endOfTurn.run();
        }
    }

    private static Failure gone() {
        return Failure.malformed("The connection was closed before the request ended.");
    }
}
