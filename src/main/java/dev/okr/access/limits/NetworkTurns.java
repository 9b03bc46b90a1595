package dev.okr.access.limits;

import io.netty.util.concurrent.EventExecutor;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Lets the client networks of an event loop take turns. Without turns, a network with hundreds of connections would delay
 * all others, even if each of its requests is rejected. Each instance belongs to one event loop and is only used there.
 */
final class NetworkTurns {
    /** The number of turns in one iteration of the event loop. */
    private static final int AT_ONCE = 8;

    private final EventExecutor loop;

    /** The work of each network. The first network is the next. */
    private final Map<String, Set<Runnable>> waiting = new LinkedHashMap<>();

    private int left = AT_ONCE;
    private boolean isScheduled;

    NetworkTurns(EventExecutor loop) {
        this.loop = loop;
    }

    /** Returns true if the caller may work at once. Otherwise, the work must {@link #await} its turn. */
    boolean begin() {
        if (left == 0 || isAnyWaiting()) {
            return false;
        }
        left--;
        scheduleFirst();
        return true;
    }

    /** Runs the work once when it is the turn of its network. */
    void await(String network, Runnable work) {
        waiting.computeIfAbsent(network, first -> new LinkedHashSet<>()).add(work);
        scheduleFirst();
    }

    /** Stops waiting. Otherwise, connections that end while they wait would fill the memory. */
    void cancel(String network, Runnable work) {
        waiting.computeIfPresent(network, (key, all) -> all.remove(work) && all.isEmpty() ? null : all);
    }

    boolean isAnyWaiting() {
        return !waiting.isEmpty();
    }

    private void scheduleFirst() {
        if (!isScheduled) {
            isScheduled = true;
            loop.execute(this::run);
        }
    }

    private void run() {
        left = AT_ONCE;
        try {
            while (left > 0 && isAnyWaiting()) {
                left--;
                next().run();
            }
        } finally {
            isScheduled = left < AT_ONCE;
            if (isScheduled) {
                // A task without a delay would run before the event loop reads again.
                loop.schedule(this::run, 1, TimeUnit.NANOSECONDS);
            }
        }
    }

    /** Its network becomes the last one. */
    private Runnable next() {
        var networks = waiting.entrySet().iterator();
        var first = networks.next();
        networks.remove();
        var work = first.getValue().iterator();
        var next = work.next();
        work.remove();
        if (work.hasNext()) {
            waiting.put(first.getKey(), first.getValue());
        }
        return next;
    }
}
