package dev.okr.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/** An HAProxy in front of the replicas, configured as in docs/operations/restarts-and-upgrades.md. */
final class Proxy implements AutoCloseable {
    private static final double MAX_START_SECONDS = 5;

    /**
     * A request that reached no replica is sent to another one. A request that a replica may have started is repeated
     * only if it is a read. Two failed checks remove a replica, well within the five seconds in which a stopping
     * replica still serves.
     */
    private static final String CONFIGURATION =
            """
            defaults
              mode http
              timeout connect 1s
              timeout client 35s
              timeout server 35s
              timeout check 3s
              retries 3
              option redispatch 1
              retry-on conn-failure empty-response
              http-error status 503 content-type application/problem+json hdr Retry-After 1 \
            string '{"type":"/problems/unavailable","title":"Unavailable","status":503,"detail":"No replica is ready.",\
            "code":"unavailable"}'
            frontend api
              bind 127.0.0.1:%d
              default_backend replicas
            backend replicas
              balance roundrobin
              option httpchk
              http-check send meth GET uri /q/health/ready ver HTTP/1.1 hdr Host localhost
              http-check expect status 200
              http-request disable-l7-retry unless METH_GET
              default-server check inter 500ms fall 2 rise 1
            %s
            """;

    private final int port = Commands.freePort();
    private final Process process;

    Proxy(Path directory, List<Integer> replicas) throws IOException {
        var servers = replicas.stream()
                .map(each -> "  server replica-%d 127.0.0.1:%d".formatted(replicas.indexOf(each) + 1, each))
                .collect(Collectors.joining("\n"));
        var file = directory.resolve("haproxy.cfg");
        Files.writeString(file, CONFIGURATION.formatted(port, servers));
        process = new ProcessBuilder("haproxy", "-db", "-f", file.toString())
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("haproxy.log").toFile())
                .start();
        awaitStart(directory);
    }

    int port() {
        return port;
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }

    private void awaitStart(Path directory) throws IOException {
        long deadline = System.nanoTime() + (long) (MAX_START_SECONDS * 1e9);
        while (System.nanoTime() < deadline && process.isAlive()) {
            try (var api = new Api(port, "")) {
                return;
            } catch (IOException notYet) {
                Commands.sleep(0.05);
            }
        }
        close();
        throw new IllegalStateException(
                "HAProxy did not start:\n" + Files.readString(directory.resolve("haproxy.log")));
    }
}
