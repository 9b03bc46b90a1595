package dev.okr.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.zip.CRC32;

/** The packaged service in a process of its own, with one organisation and an API key for it. */
final class Service implements AutoCloseable {
    static final List<String> JAVA_OPTIONS = List.of("-Xmx256m");

    private static final Duration MAX_START = Duration.ofSeconds(60);
    private static final String DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    private static final Pattern RSS = Pattern.compile("VmRSS:\\s+(\\d+) kB");
    private static final Pattern HEAP = Pattern.compile("jvm_memory_used_bytes\\{area=\"heap\"[^}]*} ([0-9.E]+)");

    /** All that differs from what a user gets: plain http to the loopback interface, and no limit of requests. */
    static final String SETTINGS = "OKR_WEBHOOKS_ALLOW_HTTP=true OKR_WEBHOOKS_ALLOWED_NETWORKS=127.0.0.1/32,::1/128 "
            + "OKR_RATE_LIMIT_REQUESTS_PER_MINUTE=0 QUARKUS_HTTP_HOST=127.0.0.1";

    private final String token = token();
    private final Path log;
    private final int port = Commands.freePort();
    private final Process process;

    Service(Path directory, String databaseUrl, List<String> moreOptions) throws IOException {
        log = directory.resolve("service.log");
        var file = Files.writeString(directory.resolve("organizations.yaml"), """
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
        var command = new ArrayList<String>();
        command.add(javaHome().resolve("bin/java").toString());
        command.addAll(JAVA_OPTIONS);
        command.addAll(moreOptions);
        command.addAll(List.of("-jar", "target/quarkus-app/quarkus-run.jar"));
        var builder = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile());
        var environment = builder.environment();
        for (var setting : SETTINGS.split(" ")) {
            environment.put(setting.substring(0, setting.indexOf('=')), setting.substring(setting.indexOf('=') + 1));
        }
        var key = new byte[32];
        new SecureRandom().nextBytes(key);
        environment.put("OKR_ENCRYPTION_KEY", Base64.getEncoder().encodeToString(key));
        environment.put("OKR_BOOTSTRAP_FILE", file.toString());
        environment.put("QUARKUS_HTTP_PORT", String.valueOf(port));
        environment.put("QUARKUS_DATASOURCE_JDBC_URL", databaseUrl);
        environment.put("QUARKUS_DATASOURCE_USERNAME", Cluster.USER);
        environment.put("QUARKUS_DATASOURCE_PASSWORD", "unused");
        process = builder.start();
        try {
            awaitReady();
        } catch (RuntimeException e) {
            close();
            throw e;
        }
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

    /** What is left on the heap by a full collection. */
    long liveHeapBytes() throws IOException {
        Commands.run(List.of(javaHome().resolve("bin/jcmd").toString(), String.valueOf(process.pid()), "GC.run"));
        try (var api = connect()) {
            return (long) HEAP.matcher(api.get("/q/metrics").body())
                    .results()
                    .mapToDouble(result -> Double.parseDouble(result.group(1)))
                    .sum();
        }
    }

    /** The time of processors that it has used. */
    double cpuSeconds() {
        return process.info().totalCpuDuration().orElseThrow().toNanos() / 1e9;
    }

    @Override
    public void close() {
        process.destroy();
        try {
            if (!process.waitFor(15, TimeUnit.SECONDS)) {
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
                // It is starting.
            }
            Commands.sleep(0.2);
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

    /** As the README says: 43 random characters of base62 and their CRC-32 in 6. */
    private static String token() {
        var random = new SecureRandom();
        var characters = new StringBuilder();
        for (int i = 0; i < 43; i++) {
            characters.append(DIGITS.charAt(random.nextInt(DIGITS.length())));
        }
        var crc = new CRC32();
        crc.update(characters.toString().getBytes());
        var checksum = new StringBuilder();
        for (long rest = crc.getValue(); checksum.length() < 6; rest /= 62) {
            checksum.append(DIGITS.charAt((int) (rest % 62)));
        }
        return "okr_" + characters + checksum.reverse();
    }
}
