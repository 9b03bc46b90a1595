package dev.okr.access.limits;

import dev.okr.platform.errors.Failure;
import dev.okr.platform.transactions.Deadline;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

/**
 * Limits lookups of API keys and users in the database. There are two queues, so lookups of unknown keys never delay
 * those of known keys. Known keys must be looked up every few seconds, because a revocation must take effect soon. In
 * the first queue, organisations take turns. In the second queue, each client network has a share, and networks take
 * turns. The number of connections limits the lookups of each queue.
 */
final class Lookups {
    private static final int MAX_OF_NETWORK = 32;

    private final Turns<UUID> ofKnownKeys;
    private final Turns<String> others;
    private final Shares<String> otherWaitingAndRunning = new Shares<>();
    private final Duration maxWait;

    /** @param running the maximum number of searches of each queue that run at the same time */
    Lookups(int running, Duration maxWait) {
        this.ofKnownKeys = new Turns<>(running);
        this.others = new Turns<>(running);
        this.maxWait = maxWait;
    }

    /**
     * Completes when a search for a known key may run. The result is an action that must run after the search. All
     * requests with the same key must share one search, because an organisation can have any number of searches.
     */
    CompletableFuture<Runnable> beginForKnownKey(UUID organizationId) {
        var turn = ofKnownKeys.begin(organizationId);
        return inTime(turn, once(() -> ofKnownKeys.end(organizationId, turn)));
    }

    /**
     * Completes when any other search may run. The result is an action that must run after the search.
     *
     * @param refusal makes the failure if the network has too many searches
     */
    CompletableFuture<Runnable> begin(Place place, Supplier<Failure> refusal) {
        var network = place.network();
        if (!otherWaitingAndRunning.take(network, 1, MAX_OF_NETWORK)) {
            return CompletableFuture.failedFuture(refusal.get());
        }
        var turn = others.begin(network);
        place.await(turn);
        return inTime(turn, once(() -> {
            others.end(network, turn);
            otherWaitingAndRunning.release(network, 1);
        }));
    }

    private static Runnable once(Runnable action) {
        var hasRun = new AtomicBoolean();
        return () -> {
            if (hasRun.compareAndSet(false, true)) {
                action.run();
            }
        };
    }

    /** Lets a turn fail that does not begin in time. */
    private CompletableFuture<Runnable> inTime(CompletableFuture<Void> turn, Runnable end) {
        var limited = turn.isDone() ? turn : turn.orTimeout(maxWait.toMillis(), TimeUnit.MILLISECONDS);
        return limited.handle((begun, late) -> {
            if (late != null) {
                end.run();
                throw Deadline.failure();
            }
            return end;
        });
    }
}
