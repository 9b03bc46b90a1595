package dev.okr.bench;

import dev.okr.bench.Meter.Figures;
import dev.okr.bench.Operations.Operation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Measures the speed of the service, compared with the limits of the machine and the database. */
public final class Speed {
    private static final Path RESULTS = Path.of("target/speed.tsv");
    private static final Path EXPLAINED = Path.of("target/explain.md");
    private static final int SEARCHED = 1_000_000;
    private static final int QUICK_SEARCHED = 10_000;
    private static final double MAX_RSS_BYTES = 400e6;
    private static final double MAX_START_SECONDS = 1.5;

    private final Options options;
    private final Pace pace;
    private final Leftovers leftovers;
    private final Report report = new Report();
    private final Results results = new Results();
    private Cluster cluster;
    private Map<String, Figures> small = Map.of();

    private Speed(Options options, Leftovers leftovers) {
        this.options = options;
        this.pace = options.pace();
        this.leftovers = leftovers;
    }

    public static void main(String[] arguments) throws Exception {
        Options options;
        try {
            options = new Options(List.of(arguments));
            options.large();
        } catch (IllegalArgumentException e) {
            System.err.print(e.getMessage() + "\n" + Options.USAGE);
            System.exit(2);
            return;
        }
        var leftovers = new Leftovers();
        Runtime.getRuntime().addShutdownHook(new Thread(leftovers::close));
        boolean passed = false;
        try {
            passed = new Speed(options, leftovers).run();
        } catch (Exception e) {
            e.printStackTrace();
            System.exit(3);
        }
        System.exit(passed || options.quick() ? 0 : 1);
    }

    private boolean run() throws Exception {
        long start = System.nanoTime();
        var databases = new Databases(options, leftovers);
        cluster = databases.open();
        describe();
        databases.makeSmall();
        if (options.wantsAny("limits", "contention", "rollup", "bulk", "search", "cycle")
                || (options.wants("growth") && options.large().isPresent())) {
            onSmall();
        }
        if (options.wants("start")) {
            starts();
        }
        if (options.large().isPresent() && options.wantsAny("growth", "explain")) {
            databases.makeLarge();
            onLarge(options.large().get());
        } else if (options.wants("explain")) {
            explain(Databases.SMALL, 0, options.small());
        }
        System.out.print("\n" + report);
        results.write(RESULTS);
        Report.say("\n%.0f s in total; bench/draw draws %s", (System.nanoTime() - start) / 1e9, RESULTS);
        return report.isPassed();
    }

    private void describe() throws Exception {
        var commit = Commands.run(List.of("git", "describe", "--always", "--dirty")).strip();
        var memory = Files.readAllLines(Path.of("/proc/meminfo")).getFirst().replaceAll(" +", " ");
        Report.say("commit    %s", commit);
        Report.say("machine   %d processors, %s", Runtime.getRuntime().availableProcessors(), memory);
        Report.say("database  %s", cluster.describe());
        Report.say(
                "service   Java %s %s %s; otherwise as in production, log to a file",
                Runtime.version(), String.join(" ", Service.JAVA_OPTIONS), Service.SETTINGS);
        results.note("commit", commit);
        results.note("date", LocalDate.now().toString());
        results.note("small", options.small().name());
        options.large().ifPresent(size -> results.note("large", size.name()));
    }

    private void onSmall() throws Exception {
        try (var meter = meter(Databases.SMALL, 0);
                var connection = cluster.connect(Databases.SMALL)) {
            var operations = new Operations(connection, 0).all();
            meter.warmUp(together(operations), pace.warmUp());
            if (options.wants("limits")) {
                var measured = new Limits(meter, pace, operations).run();
                Limits.report(measured, report, results);
                small = Limits.byKey(measured);
            } else if (options.wants("growth")) {
                small = new Growth(report, results, pace).measure(meter, operations);
            }
            if (options.wants("contention")) {
                new Contention(meter, pace, report, results, connection).run(0);
            }
            if (options.wants("rollup")) {
                new RollUps(meter, pace, report, results, connection, 0).run();
            }
            if (options.wants("bulk")) {
                new Bulk(meter, pace, report, results, connection, 0).run();
            }
            if (options.wants("search")) {
                int objectives = options.quick() ? QUICK_SEARCHED : SEARCHED;
                new Searches(meter, pace, report, results, connection, objectives).run();
            }
            if (options.wants("cycle")) {
                new CycleLives(meter, pace, report, results, connection, options.quick()).run();
            }
            judge(meter, options.small());
        }
    }

    private void judge(Meter meter, Size size) {
        report.judge(
                "maximum resident memory, at " + size.name(),
                Report.format("%.0f MiB", meter.maxRssBytes() / 0x1p20),
                Report.format("<= %.0f MiB", MAX_RSS_BYTES / 0x1p20),
                meter.maxRssBytes() <= MAX_RSS_BYTES);
        report.judge("errors, at " + size.name(), String.valueOf(meter.errors()), "0", meter.errors() == 0);
        results.add("memory", size.name(), "resident memory", meter.maxRssBytes() / 0x1p20);
    }

    /** All operations together, with the bare endpoint. */
    private static List<Target> together(List<Operation> operations) {
        var targets = new ArrayList<Target>();
        for (var operation : operations) {
            for (int i = 0; i < Operations.RESOURCES; i++) {
                targets.add(operation.targets().get(i % operation.targets().size()));
            }
        }
        for (int i = 0; i < Operations.RESOURCES; i++) {
            targets.add(Target.get("/bench/bare?size=1000", targets.getFirst().token()));
        }
        return targets;
    }

    /** Measures starts with and without an AOT cache (JEP 514 and 515). The image has such a cache. */
    private void starts() throws IOException {
        var cache = leftovers.directory().resolve("app.aot");
        service(Databases.SMALL, 0, List.of("-XX:AOTCacheOutput=" + cache)).close();
        double without = secondsToReady(List.of());
        double median = secondsToReady(List.of("-XX:AOTCache=" + cache));
        report.judge(
                "start until ready",
                Report.format("%.2f s", median),
                Report.format("<= %.1f s", MAX_START_SECONDS),
                median <= MAX_START_SECONDS);
        report.tell("  without an AOT cache", Report.format("%.2f s", without));
        results.add("start", "start", "start", median);
    }

    private double secondsToReady(List<String> options) throws IOException {
        var seconds = new ArrayList<Double>();
        for (int i = 0; i < pace.starts(); i++) {
            try (var service = service(Databases.SMALL, 0, options)) {
                seconds.add(service.secondsToReady());
            }
        }
        return Numbers.median(
                seconds.stream().mapToDouble(Double::doubleValue).toArray());
    }

    private void onLarge(Size size) throws Exception {
        if (options.wants("growth")) {
            try (var meter = meter(Databases.LARGE, Growth.SMALL_ORGANIZATION);
                    var connection = cluster.connect(Databases.LARGE)) {
                var operations = new Operations(connection, Growth.SMALL_ORGANIZATION).all();
                meter.warmUp(together(operations), pace.warmUp());
                var growth = new Growth(report, results, pace);
                growth.compare(operations, small, growth.measure(meter, operations));
                growth.largeOrganization(meter, connection, size);
                judge(meter, size);
            }
        }
        if (options.wants("explain")) {
            explain(Databases.LARGE, Growth.SMALL_ORGANIZATION, size);
        }
    }

    private void explain(String database, int organization, Size size) throws Exception {
        var file = options.explain().orElse(EXPLAINED);
        Explain.allow(cluster, database, true);
        try (var service = service(database, organization, Explain.JAVA_OPTIONS);
                var connection = cluster.connect(database)) {
            Explain.write(cluster, service, connection, organization, size.describe(), file);
            Report.say("plans in %s", file);
        } finally {
            Explain.allow(cluster, database, false);
        }
    }

    private Meter meter(String database, int organization) throws IOException {
        // Only the service with the small database is recorded, because it is the one that is compared with its limits.
        var javaOptions = database.equals(Databases.SMALL) ? options.javaOptions() : List.<String>of();
        var service = service(database, organization, javaOptions);
        return new Meter(cluster, database, service, leftovers.directory());
    }

    private Service service(String database, int organization, List<String> javaOptions) throws IOException {
        return new Service(leftovers.directory(), cluster.url(database), javaOptions, Tenant.token(organization));
    }
}
