package dev.okr.bench;

import java.io.IOException;
import java.util.List;

/** Requests probes and metrics all the time, each on a new connection like an orchestrator. */
final class Monitor implements AutoCloseable {
    private static final List<String> PATHS = List.of("/q/health/live", "/q/health/ready", "/q/metrics");
    private static final double SECONDS_BETWEEN = 0.2;

    private final int port;
    private final Thread thread;
    private volatile boolean stopped;
    private volatile double worstMillis;
    private volatile long startedNanos;

    Monitor(int port) {
        this.port = port;
        this.thread = Thread.ofPlatform().daemon().start(this::run);
    }

    /** The longest time of a request. Infinite if one failed. */
    double worstMillis() {
        return Math.max(worstMillis, startedNanos == 0 ? 0 : (System.nanoTime() - startedNanos) / 1e6);
    }

    private void run() {
        while (!stopped) {
            for (var path : PATHS) {
                startedNanos = System.nanoTime();
                worstMillis = Math.max(worstMillis, millis(path));
                startedNanos = 0;
            }
            Commands.sleep(SECONDS_BETWEEN);
        }
    }

    private double millis(String path) {
        long start = System.nanoTime();
        try (var api = new Api(port, "none")) {
            int status = api.get(path).status();
            return status == 200 ? (System.nanoTime() - start) / 1e6 : Double.POSITIVE_INFINITY;
        } catch (IOException | RuntimeException failed) {
            return Double.POSITIVE_INFINITY;
        }
    }

    @Override
    public void close() {
        stopped = true;
    }
}
