package dev.okr.access.limits;

import dev.okr.platform.errors.Failure;
import dev.okr.platform.transactions.Deadline;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Limits lookups of API keys and users in the database. There are two queues, so unknown keys never delay known ones.
 * The first queue has the known keys. They are looked up every few seconds, so that a revocation takes effect soon.
 * Organisations take turns. The second queue has the other keys and the users. Each client network has a share, and
 * networks take turns. Each queue has a limit of concurrent lookups.
 */
final class Lookups {
    private static final int MAX_OF_NETWORK = 32;

    /** Short, so that requests do not accumulate while the database is slow. A lookup takes about a millisecond. */
    private static final Duration MAX_WAIT_OF_KNOWN_KEY = Duration.ofSeconds(2);

    /** Short, because a client can have very many networks. */
    private static final Duration MEMORY_OF_NETWORKS = Duration.ofSeconds(1);

    private final Turns<UUID> ofKnownKeys;
    private final Turns<String> others;
    private final Shares<String> otherWaitingAndRunning = new Shares<>();
    private final Duration maxWait;

    /**
     * @param running the maximum number of concurrent lookups of each queue
     * @param maxWait the longest wait of the second queue
     */
    Lookups(int running, Duration maxWait) {
        this.ofKnownKeys = new Turns<>(running);
        this.others = new Turns<>(running, MEMORY_OF_NETWORKS);
        this.maxWait = maxWait;
    }

    /**
     * Completes when a known key may be looked up. The result is an action that must run once after the lookup. All
     * requests with the same key must share one lookup, because the lookups of an organisation have no other limit.
     */
    CompletableFuture<Runnable> beginForKnownKey(UUID organizationId) {
        var turn = ofKnownKeys.begin(organizationId);
        return inTime(turn, MAX_WAIT_OF_KNOWN_KEY, () -> ofKnownKeys.end(organizationId, turn));
    }

    /**
     * Completes when a user or any other key may be looked up. The result is an action that must run after the lookup.
     *
     * @param refusal makes the failure if the network has too many lookups
     */
    CompletableFuture<Runnable> begin(Place place, Supplier<Failure> refusal) {
        var network = place.network();
        if (!otherWaitingAndRunning.take(network, 1, MAX_OF_NETWORK)) {
            return CompletableFuture.failedFuture(refusal.get());
        }
        var turn = others.begin(network);
        place.await(turn);
        return inTime(turn, maxWait, () -> {
            others.end(network, turn);
            otherWaitingAndRunning.release(network, 1);
        });
    }

    /** Fails if the turn does not begin in time. */
    private static CompletableFuture<Runnable> inTime(CompletableFuture<Void> turn, Duration maxWait, Runnable end) {
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
