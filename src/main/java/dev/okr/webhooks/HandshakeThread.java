package dev.okr.webhooks;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.SequencedMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Runs the steps of TLS handshakes that take much processor time. A full handshake takes one to ten milliseconds. On the
 * event loops, many handshakes would delay all requests of clients. The organisations take turns, so that the handshakes
 * of one do not wait for all those of another.
 */
final class HandshakeThread {
    private static final Duration KEPT = Duration.ofSeconds(30);

    /** A longer step was interrupted by a pause of the JVM or of the machine. */
    private static final long MAX_REST_NANOS = Duration.ofMillis(100).toNanos();

    private final ThreadPoolExecutor thread = new ThreadPoolExecutor(
            1, 1, KEPT.toSeconds(), TimeUnit.SECONDS, new LinkedBlockingQueue<>(), HandshakeThread::newThread);

    /** The next organisation is first. */
    private final SequencedMap<String, Deque<Runnable>> waiting = new LinkedHashMap<>();

    HandshakeThread() {
        thread.allowCoreThreadTimeOut(true);
    }

    private static Thread newThread(Runnable work) {
        return Thread.ofPlatform().daemon().name("okr-webhook-tls").unstarted(work);
    }

    /** @param isFirst whether the step begins a handshake. Other steps come before it, so that handshakes end early. */
    void execute(String organization, boolean isFirst, Runnable step) {
        add(organization, isFirst, step);
        thread.execute(this::runNext);
    }

    /** Afterwards, rests for as long. So handshakes use at most half of a processor. */
    private void runNext() {
        long startNanos = System.nanoTime();
        next().run();
        LockSupport.parkNanos(Math.min(System.nanoTime() - startNanos, MAX_REST_NANOS));
    }

    private synchronized void add(String organization, boolean isFirst, Runnable step) {
        var steps = waiting.computeIfAbsent(organization, name -> new ArrayDeque<>());
        if (isFirst) {
            steps.addLast(step);
        } else {
            steps.addFirst(step);
        }
    }

    private synchronized Runnable next() {
        var first = waiting.firstEntry();
        var steps = first.getValue();
        var step = steps.remove();
        waiting.remove(first.getKey());
        if (!steps.isEmpty()) {
            waiting.put(first.getKey(), steps);
        }
        return step;
    }
}
