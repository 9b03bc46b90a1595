package dev.okr.access.limits;

import dev.okr.platform.errors.Failure;
import dev.okr.platform.transactions.Deadline;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

/**
 * Limits lookups of API keys and users in the database. Each client network has a share, and networks take turns. The
 * number of connections limits the lookups of all networks.
 */
final class Lookups {
    private static final int MAX_OF_NETWORK = 32;

    private final Shares<String> waitingAndRunning = new Shares<>();
    private final Turns<String> turns;
    private final Duration maxWait;

    /** @param running the maximum number of searches that run at the same time */
    Lookups(int running, Duration maxWait) {
        this.turns = new Turns<>(running);
        this.maxWait = maxWait;
    }

    /**
     * Completes when a search may run. The result is an action that must run after the search.
     *
     * @param refusal makes the failure if the network has too many searches
     */
    CompletableFuture<Runnable> begin(Place place, Supplier<Failure> refusal) {
        var network = place.network();
        if (!waitingAndRunning.take(network, 1, MAX_OF_NETWORK)) {
            return CompletableFuture.failedFuture(refusal.get());
        }
        var turn = turns.begin(network);
        var isEnded = new AtomicBoolean();
        Runnable end = () -> {
            if (isEnded.compareAndSet(false, true)) {
                turns.end(network, turn);
                waitingAndRunning.release(network, 1);
            }
        };
        place.await(turn);
        return inTime(turn, maxWait).handle((begun, late) -> {
            if (late != null) {
                end.run();
                throw Deadline.failure();
            }
            return end;
        });
    }

    /** Lets a turn fail that does not begin in time. */
    private static CompletableFuture<Void> inTime(CompletableFuture<Void> turn, Duration maxWait) {
        return turn.isDone() ? turn : turn.orTimeout(maxWait.toMillis(), TimeUnit.MILLISECONDS);
    }
}
