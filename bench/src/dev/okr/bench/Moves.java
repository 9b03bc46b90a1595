package dev.okr.bench;

import java.io.BufferedOutputStream;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Pattern;
import java.util.zip.GZIPOutputStream;

/** Imports and exports an organisation, and measures lines per second, memory and the other requests meanwhile. */
public final class Moves {
    private static final int KEY_RESULTS_PER_OBJECTIVE = 3;
    private static final double IMPORT_TARGET = 10_000;
    private static final double EXPORT_TARGET = 50_000;
    private static final double MEMORY_TARGET_MIB = 50;
    private static final double MAX_SLOWDOWN = 2;
    private static final double SECONDS_BETWEEN_REQUESTS = 0.02;
    private static final double QUIET_SECONDS = 15;
    private static final Pattern ID = Pattern.compile("\"id\":\"(imp_[0-9a-z]+)\"");
    private static final Pattern STATUS = Pattern.compile("\"status\":\"([a-z]+)\"");

    private final boolean quick;
    private final int objectives;
    private final int checkIns;
    private final Leftovers leftovers;
    private final Report report = new Report();
    private final HttpClient http = HttpClient.newHttpClient();

    private Moves(boolean quick, Leftovers leftovers) {
        this.quick = quick;
        this.objectives = quick ? 2_000 : 100_000;
        this.checkIns = quick ? 20_000 : 1_000_000;
        this.leftovers = leftovers;
    }

    public static void main(String[] arguments) throws Exception {
        var flags = List.of(arguments);
        if (!flags.stream().allMatch("--quick"::equals)) {
            System.err.println("usage: bench/moves [--quick]");
            System.exit(2);
        }
        var leftovers = new Leftovers();
        Runtime.getRuntime().addShutdownHook(new Thread(leftovers::close));
        boolean passed = false;
        try {
            passed = new Moves(!flags.isEmpty(), leftovers).run();
        } catch (Exception e) {
            e.printStackTrace();
            System.exit(3);
        }
        System.exit(passed || !flags.isEmpty() ? 0 : 1);
    }

    private boolean run() throws Exception {
        var cluster = leftovers.add(new Cluster(leftovers.directory()));
        cluster.createDatabase("moves", "template0");
        var service = leftovers.add(new Service(leftovers.directory(), cluster.url("moves"), List.of()));
        var file = leftovers.directory().resolve("file.ndjson.gz");
        int lines = write(file);
        Report.say("%d lines in %d MiB of gzip", lines, Files.size(file) >> 20);
        var quiet = new Others(service);
        Commands.sleep(quick ? 2 : QUIET_SECONDS);
        quiet.end();
        service.liveHeapBytes();
        long idle = service.rssBytes();
        report.tell("idle", "%.0f MiB, p99 %.1f ms".formatted(mib(idle), quiet.p99()));

        measure("import", lines, IMPORT_TARGET, service, idle, quiet, () -> importFile(service, file));
        measure("import again, nothing changes", lines, IMPORT_TARGET, service, idle, quiet, () -> importFile(service, file));
        measure("export", lines, EXPORT_TARGET, service, idle, quiet, () -> export(service));

        System.out.print("\n" + report);
        return report.isPassed();
    }

    /** Something that is measured. Returns the number of lines. */
    private interface Work {
        int run() throws Exception;
    }

    private void measure(String what, int lines, double target, Service service, long idle, Others quiet, Work work)
            throws Exception {
        var others = new Others(service);
        long start = System.nanoTime();
        int done = work.run();
        double seconds = (System.nanoTime() - start) / 1e9;
        others.end();
        if (done < lines) {
            throw new IllegalStateException(what + ": " + done + " of " + lines + " lines");
        }
        double rate = done / seconds;
        report.judge(what, "%.0f lines/s".formatted(rate), "≥ %.0f".formatted(target), rate >= target);
        double more = mib(others.maxRss - idle);
        report.judge(what + ", memory above idle", "%.0f MiB".formatted(more), "≤ %.0f MiB".formatted(MEMORY_TARGET_MIB), more <= MEMORY_TARGET_MIB);
        report.judge(
                what + ", p99 of other requests",
                "%.1f ms".formatted(others.p99()),
                "≤ %.1f ms".formatted(MAX_SLOWDOWN * quiet.p99()),
                others.p99() <= MAX_SLOWDOWN * quiet.p99());
    }

    private int importFile(Service service, Path file) throws Exception {
        var sent = http.send(
                request(service, "/v1/imports")
                        .header("Content-Type", "application/x-ndjson")
                        .header("Content-Encoding", "gzip")
                        .POST(HttpRequest.BodyPublishers.ofFile(file))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
        var id = ID.matcher(sent.body());
        if (!id.find()) {
            throw new IllegalStateException(sent.body());
        }
        while (true) {
            var shown = http.send(
                            request(service, "/v1/imports/" + id.group(1)).build(), HttpResponse.BodyHandlers.ofString())
                    .body();
            var status = STATUS.matcher(shown);
            if (status.find() && !status.group(1).matches("pending|running")) {
                if (!status.group(1).equals("succeeded")) {
                    throw new IllegalStateException(shown);
                }
                return Integer.parseInt(shown.replaceAll(".*\"lines\":(\\d+).*", "$1"));
            }
            Commands.sleep(0.2);
        }
    }

    private int export(Service service) throws Exception {
        var response = http.send(request(service, "/v1/export").build(), HttpResponse.BodyHandlers.ofInputStream());
        int lines = 0;
        try (var reader = new BufferedReader(new InputStreamReader(response.body(), StandardCharsets.UTF_8))) {
            while (reader.readLine() != null) {
                lines++;
            }
        }
        return lines;
    }

    private static HttpRequest.Builder request(Service service, String path) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + service.port() + path))
                .header("Authorization", "Bearer " + service.token());
    }

    private int write(Path file) throws IOException {
        int lines = 0;
        var start = Instant.parse("2024-01-01T00:00:00Z");
        try (var out = new OutputStreamWriter(
                new GZIPOutputStream(new BufferedOutputStream(Files.newOutputStream(file)), 1 << 16), StandardCharsets.UTF_8)) {
            for (int cycle = 0; cycle < 4; cycle++) {
                lines += line(out, "cycle", "\"id\":\"q%d\",\"name\":\"Quarter %d\",\"starts_at\":\"202%d-01-01T00:00:00Z\",\"ends_at\":\"202%d-04-01T00:00:00Z\"".formatted(cycle, cycle, cycle + 4, cycle + 4));
            }
            for (int i = 0; i < objectives; i++) {
                lines += line(out, "objective", "\"id\":\"o%d\",\"title\":\"Win the trust of customers %d\",\"cycle_id\":\"q%d\"".formatted(i, i, i % 4));
            }
            int keyResults = objectives * KEY_RESULTS_PER_OBJECTIVE;
            for (int i = 0; i < keyResults; i++) {
                lines += line(out, "key_result", "\"id\":\"k%d\",\"objective_id\":\"o%d\",\"title\":\"Measure %d\",\"metric_type\":\"number\",\"start_value\":0,\"target_value\":100".formatted(i, i / KEY_RESULTS_PER_OBJECTIVE, i));
            }
            for (int i = 0; i < checkIns; i++) {
                lines += line(out, "check_in", "\"id\":\"c%d\",\"key_result_id\":\"k%d\",\"value\":%d,\"note\":\"As planned\",\"recorded_at\":\"%s\"".formatted(i, (int) (i * 7_919L % keyResults), i % 101, start.plusSeconds(i)));
            }
        }
        return lines;
    }

    private static int line(OutputStreamWriter out, String type, String data) throws IOException {
        out.write("{\"type\":\"" + type + "\",\"data\":{" + data + "}}\n");
        return 1;
    }

    private static double mib(long bytes) {
        return bytes / 1_048_576.0;
    }

    /** Requests at fixed times, and samples of the memory. */
    private static final class Others {
        private final AtomicBoolean isOver = new AtomicBoolean();
        private final List<Double> millis = new ArrayList<>();
        private final Thread thread;
        private volatile long maxRss;

        Others(Service service) {
            thread = Thread.ofPlatform().start(() -> {
                try (var api = service.connect()) {
                    while (!isOver.get()) {
                        long start = System.nanoTime();
                        api.get("/v1/cycles");
                        millis.add((System.nanoTime() - start) / 1e6);
                        maxRss = Math.max(maxRss, service.rssBytes());
                        Commands.sleep(SECONDS_BETWEEN_REQUESTS);
                    }
                } catch (IOException e) {
                    throw new IllegalStateException(e);
                }
            });
        }

        void end() throws InterruptedException {
            isOver.set(true);
            thread.join();
        }

        double p99() {
            var sorted = millis.stream().mapToDouble(each -> each).sorted().toArray();
            return sorted.length == 0 ? 0 : sorted[Math.min(sorted.length - 1, (int) (sorted.length * 0.99))];
        }
    }
}
