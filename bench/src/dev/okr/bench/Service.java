package dev.okr.bench;

import dev.okr.access.Token;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/** The packaged service in its own process, and an API key for it. */
final class Service implements AutoCloseable {
    /** The options that the documentation recommends. */
    static final List<String> JAVA_OPTIONS = List.of("-Xmx256m", "-XX:+UseSerialGC");

    private static final Duration MAX_START = Duration.ofSeconds(60);
    private static final Pattern RSS = Pattern.compile("VmRSS:\\s+(\\d+) kB");
    private static final Pattern HEAP = Pattern.compile("jvm_memory_used_bytes\\{area=\"heap\"[^}]*} ([0-9.E]+)");

    /** The settings of attacks: plain http to the loopback interface, and no rate limit. */
    static final String SETTINGS_WITH_SHARES =
            "OKR_WEBHOOKS_ALLOW_HTTP=true OKR_WEBHOOKS_ALLOWED_NETWORKS=127.0.0.1/32,::1/128 "
                    + "OKR_RATE_LIMIT_REQUESTS_PER_MINUTE=0 OKR_RATE_LIMIT_MEGABYTES_PER_HOUR=0 "
                    + "QUARKUS_HTTP_HOST=127.0.0.1";

    /** All differences from production. One organisation, key and address send all requests, so they have no shares. */
    static final String SETTINGS = SETTINGS_WITH_SHARES
            + " OKR_LIMITS_CONCURRENT_REQUESTS_PER_KEY=0 OKR_LIMITS_CONCURRENT_REQUESTS_PER_ORGANIZATION=0"
            + " OKR_LIMITS_CONCURRENT_REQUESTS_PER_ADDRESS=0 OKR_LIMITS_CONNECTIONS_PER_ADDRESS=0";

    private static final double SECONDS_BETWEEN_LOOKS = 0.01;

    private final String token;
    private final Path log;
    private final int port = Commands.freePort();
    private final long startedNanos = System.nanoTime();
    private final double secondsToReady;
    private final Process process;

    /** Starts a service with its own organisation from an organisation file. */
    Service(Path directory, String databaseUrl, List<String> moreOptions) throws IOException {
        this(directory, databaseUrl, moreOptions, newToken(), true, newKey(), SETTINGS);
    }

    /** Starts a service on a database that contains the organisation of this token. */
    Service(Path directory, String databaseUrl, List<String> moreOptions, String token) throws IOException {
        this(directory, databaseUrl, moreOptions, token, false, newKey(), SETTINGS);
    }

    /**
     * @param provisioned whether to create the organisation of the token
     * @param key the encryption key of the database
     * @param settings environment variables of the service
     */
    Service(
            Path directory,
            String databaseUrl,
            List<String> moreOptions,
            String token,
            boolean provisioned,
            String key,
            String settings)
            throws IOException {
        this.token = token;
        log = directory.resolve("service.log");
        Files.deleteIfExists(log);
        var builder = command(log, databaseUrl, moreOptions, key, port, settings);
        var environment = builder.environment();
        if (provisioned) {
            environment.put(
                    "OKR_BOOTSTRAP_FILE", organizationFile(directory, token).toString());
        }
        process = builder.start();
        // Also stops the service if the benchmark ends during the start.
        Runtime.getRuntime().addShutdownHook(new Thread(this::close));
        try {
            awaitReady();
        } catch (RuntimeException e) {
            close();
            throw e;
        }
        secondsToReady = (System.nanoTime() - startedNanos) / 1e9;
    }

    /** The configuration of one replica. */
    static ProcessBuilder command(
            Path log, String databaseUrl, List<String> options, String key, int port, String settings) {
        var command = new ArrayList<String>();
        var group = System.getenv("BENCH_CGROUP");
        if (group != null) {
            // The shell joins the control group before it becomes the service.
            command.addAll(List.of("sh", "-c", "echo $$ >\"$0\"; exec \"$@\"", group + "/cgroup.procs"));
        }
        command.add(javaHome().resolve("bin/java").toString());
        command.addAll(JAVA_OPTIONS);
        command.addAll(options);
        command.addAll(List.of("-jar", "target/quarkus-app/quarkus-run.jar"));
        // Appends, so that the file can be truncated while the service writes.
        var builder = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
        var environment = builder.environment();
        for (var setting : settings.split(" ")) {
            environment.put(setting.substring(0, setting.indexOf('=')), setting.substring(setting.indexOf('=') + 1));
        }
        // A clean stop is not needed here.
        environment.put("QUARKUS_SHUTDOWN_DELAY", "0s");
        environment.put("OKR_ENCRYPTION_KEY", key);
        environment.put("QUARKUS_HTTP_PORT", String.valueOf(port));
        environment.put("QUARKUS_DATASOURCE_JDBC_URL", databaseUrl);
        environment.put("QUARKUS_DATASOURCE_USERNAME", Cluster.USER);
        environment.put("QUARKUS_DATASOURCE_PASSWORD", "unused");
        return builder;
    }

    static Path organizationFile(Path directory, String token) throws IOException {
        return Files.writeString(directory.resolve("organizations.yaml"), """
                organizations:
                  - slug: bench
                    name: Benchmark
                    plan: business
                    users:
                      - email: ada@bench.test
                        name: Ada Lovelace
                        role: admin
                        api_keys:
                          - name: bench
                            token: %s
                """.formatted(token));
    }

    boolean isAlive() {
        return process.isAlive();
    }

    int port() {
        return port;
    }

    String token() {
        return token;
    }

    int threads() throws IOException {
        return count("task");
    }

    int openFiles() throws IOException {
        return count("fd");
    }

    private int count(String directory) throws IOException {
        try (var files = Files.list(Path.of("/proc/%d/%s".formatted(process.pid(), directory)))) {
            return (int) files.count();
        }
    }

    /** The time from the start of the process to the first successful readiness check. */
    double secondsToReady() {
        return secondsToReady;
    }

    /**
     * Truncates the log, which contains all requests and grows by gigabytes. The benchmark reads it only if a start
     * fails.
     */
    void emptyLog() throws IOException {
        try (var file = FileChannel.open(log, StandardOpenOption.WRITE)) {
            file.truncate(0);
        }
    }

    /** Suspends the process until {@link #resume}. */
    void suspend() {
        signal("STOP");
    }

    void resume() {
        signal("CONT");
    }

    private void signal(String name) {
        Commands.run(List.of("kill", "-" + name, String.valueOf(process.pid())));
    }

    Api connect() throws IOException {
        return new Api(port, token);
    }

    long rssBytes() throws IOException {
        var status = Files.readString(Path.of("/proc/%d/status".formatted(process.pid())));
        var matcher = RSS.matcher(status);
        if (!matcher.find()) {
            throw new IllegalStateException("no VmRSS");
        }
        return Long.parseLong(matcher.group(1)) * 1024;
    }

    /** The heap in use after a full collection. */
    long liveHeapBytes() throws IOException {
        Commands.run(List.of(javaHome().resolve("bin/jcmd").toString(), String.valueOf(process.pid()), "GC.run"));
        try (var api = connect()) {
            return (long) HEAP.matcher(api.get("/q/metrics").body())
                    .results()
                    .mapToDouble(result -> Double.parseDouble(result.group(1)))
                    .sum();
        }
    }

    /** The processor time of the process. */
    double cpuSeconds() {
        return process.info().totalCpuDuration().orElseThrow().toNanos() / 1e9;
    }

    @Override
    public void close() {
        if (process.isAlive()) {
            // A suspended process does not handle SIGTERM.
            resume();
        }
        process.destroy();
        try {
            if (!process.waitFor(60, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
        }
    }

    private void awaitReady() {
        long deadline = System.nanoTime() + MAX_START.toNanos();
        while (System.nanoTime() < deadline && process.isAlive()) {
            try (var api = connect()) {
                if (api.get("/q/health/ready").status() == 200) {
                    return;
                }
            } catch (IOException notYet) {
                // The service is still starting.
            }
            Commands.sleep(SECONDS_BETWEEN_LOOKS);
        }
        throw new IllegalStateException("the service did not start:\n" + tail());
    }

    private String tail() {
        try {
            var lines = Files.readAllLines(log);
            return String.join("\n", lines.subList(Math.max(0, lines.size() - 30), lines.size()));
        } catch (IOException e) {
            return e.toString();
        }
    }

    private static Path javaHome() {
        return Path.of(System.getProperty("java.home"));
    }

    static String newKey() {
        var key = new byte[32];
        new SecureRandom().nextBytes(key);
        return Base64.getEncoder().encodeToString(key);
    }

    static String newToken() {
        var random = new SecureRandom();
        return Token.generate(() -> random.nextInt(62));
    }
}
