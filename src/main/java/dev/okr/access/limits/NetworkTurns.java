package dev.okr.access.limits;

import io.netty.util.concurrent.EventExecutor;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.TimeUnit;

/**
 * Lets the client networks of an event loop take turns. Without turns, a network with hundreds of connections would delay
 * all others, even if each of its requests is rejected. Each instance belongs to one event loop and is only used there.
 */
final class NetworkTurns {
    /** The number of turns until the next iteration of the event loop, or until the end of the pause. */
    private static final int AT_ONCE = 8;

    private final EventExecutor loop;
    private final Duration pause;

    /** The work of each network. The first network is the next. */
    private final Map<String, Queue<Runnable>> waiting = new LinkedHashMap<>();

    private int left = AT_ONCE;
    private boolean isScheduled;

    /** @param pause the time between groups of turns. If it is zero, each iteration of the event loop has a group. */
    NetworkTurns(EventExecutor loop, Duration pause) {
        this.loop = loop;
        this.pause = pause;
    }

    /** Returns true if the caller may work at once. Otherwise, the work must {@link #await} its turn. */
    boolean begin() {
        if (left == 0 || !waiting.isEmpty()) {
            return false;
        }
        left--;
        scheduleFirst();
        return true;
    }

    /** Runs the work when it is the turn of its network. */
    void await(String network, Runnable work) {
        waiting.computeIfAbsent(network, first -> new ArrayDeque<>()).add(work);
        scheduleFirst();
    }

    private void scheduleFirst() {
        if (isScheduled) {
            return;
        }
        isScheduled = true;
        if (pause.isZero()) {
            loop.execute(this::run);
        } else {
            loop.schedule(this::run, pause.toNanos(), TimeUnit.NANOSECONDS);
        }
    }

    private void run() {
        left = AT_ONCE;
        try {
            while (left > 0 && !waiting.isEmpty()) {
                left--;
                next().run();
            }
        } finally {
            isScheduled = left < AT_ONCE;
            if (isScheduled) {
                // A task without a delay would run before the event loop reads again.
                loop.schedule(this::run, Math.max(1, pause.toNanos()), TimeUnit.NANOSECONDS);
            }
        }
    }

    /** Its network becomes the last one. */
    private Runnable next() {
        var networks = waiting.entrySet().iterator();
        var first = networks.next();
        networks.remove();
        var work = first.getValue();
        var next = work.remove();
        if (!work.isEmpty()) {
            waiting.put(first.getKey(), work);
        }
        return next;
    }
}
