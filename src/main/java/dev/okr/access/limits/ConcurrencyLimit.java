package dev.okr.access.limits;

import dev.okr.platform.errors.Failure;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Limits how many organisations do something at the same time. Each one does it once at a time, so one organisation
 * never takes all permits. {@link Turns} chooses the next organisation. The one with the smallest load is first. If there are
 * several permits, the last free one is kept for an organisation with a small load.
 */
public final class ConcurrencyLimit {
    /** The load of an organisation falls slowly while it waits. So it may get the last permit after some time. */
    private static final Duration STEP = Duration.ofMillis(250);

    private final Turns<UUID> permits;
    private final Duration maxWait;

    public ConcurrencyLimit(int atOnce, Duration maxWait) {
        this.permits = new Turns<>(atOnce, 1, 1);
        this.maxWait = maxWait;
    }

    /**
     * Waits for a permit. Meanwhile, another request may use the turn of the current request at the database. So the
     * caller must hold no connection. If it returns true, the caller must call {@link #end} afterwards.
     *
     * @throws Failure if the client disconnects while the request waits
     */
    public boolean begin(UUID organization) {
        var permit = permits.begin(organization);
        if (permit.isDone()) {
            return true;
        }
        boolean isBegun = false;
        try {
            isBegun = RequestGate.waitWithoutTurn(() -> isCompleted(permit));
            return isBegun;
        } finally {
            if (!isBegun) {
                permits.end(organization, permit);
            }
        }
    }

    /** Takes a permit if it needs no wait. If it returns true, the caller must call {@link #end} afterwards. */
    boolean tryBegin(UUID organization) {
        var permit = permits.begin(organization);
        // Read once, because another thread can complete it at any time.
        boolean isBegun = permit.isDone();
        if (!isBegun) {
            permits.end(organization, permit);
        }
        return isBegun;
    }

    public void end(UUID organization) {
        permits.end(organization);
    }

    /** Whether all permits are used, and an organisation without a permit waits for one. */
    boolean isWaitedFor() {
        return permits.isWaitedFor();
    }

    private boolean isCompleted(CompletableFuture<Void> permit) {
        RequestGate.failWhenClientLeaves(permit);
        for (var waited = Duration.ZERO; waited.compareTo(maxWait) < 0; waited = waited.plus(STEP)) {
            if (isCompletedInOneStep(permit)) {
                return true;
            }
            permits.advance();
        }
        return false;
    }

    private static boolean isCompletedInOneStep(CompletableFuture<Void> permit) {
        try {
            permit.get(STEP.toMillis(), TimeUnit.MILLISECONDS);
            return true;
        } catch (TimeoutException late) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        } catch (ExecutionException e) {
            throw e.getCause() instanceof Failure gone ? gone : new IllegalStateException(e);
        }
    }
}
