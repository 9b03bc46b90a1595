package dev.okr.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** One of several replicas of the packaged service. It can be stopped, killed and restarted on its port. */
final class Replica implements AutoCloseable {
    private static final double MAX_START_SECONDS = 90;
    private static final long MAX_STOP_SECONDS = 60;
    private static final double SECONDS_BETWEEN_LOOKS = 0.05;

    private final Cast cast;
    private final Path log;
    private final int port = Commands.freePort();
    private Process process;
    private volatile boolean closed;

    /**
     * The configuration that all replicas share.
     *
     * @param key the encryption key
     */
    record Cast(Path directory, String databaseUrl, String key, Path organizationFile, String token) {}

    Replica(Cast cast, int number) {
        this.cast = cast;
        this.log = cast.directory().resolve("replica-%d.log".formatted(number));
    }

    int port() {
        return port;
    }

    long pid() {
        return process.pid();
    }

    /** Starts the replica. Returns the seconds until it was ready. */
    double start() throws IOException {
        long start = System.nanoTime();
        var command = Service.command(log, cast.databaseUrl(), List.of(), cast.key(), port, Service.SETTINGS);
        // Uses the production default, which gives proxies time to notice the stop.
        command.environment().remove("QUARKUS_SHUTDOWN_DELAY");
        command.environment().put("OKR_BOOTSTRAP_FILE", cast.organizationFile().toString());
        synchronized (this) {
            if (closed) {
                throw new IllegalStateException("closed");
            }
            process = command.start();
        }
        awaitReady();
        return (System.nanoTime() - start) / 1e9;
    }

    /** Stops the replica with SIGTERM, like a deployment. Returns the duration in seconds. */
    double stop() {
        long start = System.nanoTime();
        process.destroy();
        awaitEnd();
        return (System.nanoTime() - start) / 1e9;
    }

    void kill() {
        process.destroyForcibly();
        awaitEnd();
    }

    /** The log entries from level WARN, newest first. */
    List<String> complaints(int limit) throws IOException {
        try (var lines = Files.lines(log)) {
            var all = lines.filter(line -> line.matches(".*\"level\":\"(WARN|ERROR|FATAL)\".*"))
                    .toList();
            return all.reversed().stream().limit(limit).toList();
        }
    }

    @Override
    public synchronized void close() {
        closed = true;
        if (process != null) {
            process.destroyForcibly();
        }
    }

    private void awaitEnd() {
        try {
            if (!process.waitFor(MAX_STOP_SECONDS, TimeUnit.SECONDS)) {
                throw new IllegalStateException("the service does not stop, see " + log);
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException("interrupted", e);
        }
    }

    private void awaitReady() throws IOException {
        long deadline = System.nanoTime() + (long) (MAX_START_SECONDS * 1e9);
        while (System.nanoTime() < deadline && process.isAlive()) {
            try (var api = new Api(port, cast.token())) {
                if (api.get("/q/health/ready").status() == 200) {
                    return;
                }
            } catch (IOException notYet) {
                // The replica is still starting.
            }
            Commands.sleep(SECONDS_BETWEEN_LOOKS);
        }
        throw new IllegalStateException("a replica did not start:\n" + String.join("\n", complaints(5)));
    }
}
