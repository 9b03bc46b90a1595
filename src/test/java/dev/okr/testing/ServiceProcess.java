package dev.okr.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A separate process of the packaged application, for tests that must not disturb the shared one. */
public final class ServiceProcess implements AutoCloseable {
    private static final String PORT = "QUARKUS_HTTP_PORT";
    private static final Path LOG = Path.of("target", "service-process.log");
    private static final Duration MAX_START = Duration.ofSeconds(90);
    private static final Duration MAX_STOP = Duration.ofSeconds(15);

    private final Process process;
    private final URI uri;

    private ServiceProcess(Process process, URI uri) {
        this.process = process;
        this.uri = uri;
    }

    /** Starts the service with these environment variables and waits until it is ready. */
    public static ServiceProcess start(Map<String, String> environment) {
        return start(Program.command(), environment);
    }

    /** The same for another build. */
    public static ServiceProcess start(List<String> command, Map<String, String> environment) {
        try {
            var port = environment.getOrDefault(PORT, String.valueOf(FreePort.find()));
            var builder = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.appendTo(LOG.toFile()));
            // The tests have no proxy that must notice the stop.
            builder.environment().put("QUARKUS_SHUTDOWN_DELAY", "0s");
            builder.environment().putAll(environment);
            builder.environment().put(PORT, port);
            var service = new ServiceProcess(builder.start(), URI.create("http://127.0.0.1:" + port));
            service.awaitReady();
            return service;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Starts the service on the database of the tests, with additional environment variables. */
    public static ServiceProcess onTestDatabase(Map<String, String> environment) {
        var all = new HashMap<>(Map.of(
                "QUARKUS_DATASOURCE_JDBC_URL",
                TestDatabase.jdbcUrl(),
                "QUARKUS_DATASOURCE_USERNAME",
                TestDatabase.username(),
                "QUARKUS_DATASOURCE_PASSWORD",
                TestDatabase.password(),
                "OKR_ENCRYPTION_KEY",
                TestDatabase.ENCRYPTION_KEY));
        all.putAll(environment);
        return start(all);
    }

    public URI uri() {
        return uri;
    }

    /** The status of a GET within five seconds, or 0 without a response. */
    public int status(String path) {
        try (var http = HttpClient.newHttpClient()) {
            var request = HttpRequest.newBuilder(uri.resolve(path))
                    .timeout(Duration.ofSeconds(5))
                    .build();
            return http.send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
        } catch (IOException e) {
            return 0;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return 0;
        }
    }

    /** The log of all service processes. */
    public static String log() {
        try {
            return Files.readString(LOG);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Kills the service. */
    public void kill() {
        process.destroyForcibly();
        await(MAX_STOP);
    }

    /** Stops the process without ending it. It keeps its connections. */
    public void freeze() {
        signal("STOP");
    }

    /** Continues after {@link #freeze}. */
    public void thaw() {
        signal("CONT");
    }

    private void signal(String name) {
        try {
            var kill = new ProcessBuilder("kill", "-" + name, String.valueOf(process.pid())).start();
            if (kill.waitFor() != 0) {
                throw new IllegalStateException("kill -" + name + " failed.");
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** Sends SIGTERM and does not wait. */
    public void terminate() {
        process.destroy();
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    /** Stops the service and returns how long it took. */
    public Duration stop() {
        var asked = Instant.now();
        terminate();
        await(MAX_START);
        return Duration.between(asked, Instant.now());
    }

    @Override
    public void close() {
        process.destroy();
        if (!await(MAX_STOP)) {
            process.destroyForcibly();
        }
    }

    private boolean await(Duration limit) {
        try {
            return process.waitFor(limit.toSeconds(), TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private void awaitReady() {
        var deadline = Instant.now().plus(MAX_START);
        while (status("/q/health/ready") != 200) {
            if (!process.isAlive() || Instant.now().isAfter(deadline)) {
                close();
                throw new IllegalStateException("The service does not start. See " + LOG);
            }
        }
    }
}
