package dev.okr.access.limits;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Gives a number of permits in the order of requests. Unlike the semaphore of Java, it blocks no thread. */
final class FairSemaphore {
    private final Queue<CompletableFuture<Void>> waiting = new ArrayDeque<>();
    private int free;

    FairSemaphore(int permits) {
        this.free = permits;
    }

    /** Completes when the permit is given. Each call needs one call of {@link #release}. */
    synchronized CompletableFuture<Void> acquire() {
        var permit = new CompletableFuture<Void>();
        if (free > 0) {
            free--;
            permit.complete(null);
        } else {
            waiting.add(permit);
        }
        return permit;
    }

    /** Returns a permit, or stops waiting for it. */
    void release(CompletableFuture<Void> permit) {
        var next = released(permit);
        if (next != null) {
            // Completed outside the lock, because it resumes a request.
            next.complete(null);
        }
    }

    private synchronized @Nullable CompletableFuture<Void> released(CompletableFuture<Void> permit) {
        if (waiting.remove(permit)) {
            return null;
        }
        var next = waiting.poll();
        if (next == null) {
            free++;
        }
        return next;
    }
}
