package dev.okr.bench;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Tests the service during restarts and failures, in a long run, and with idle clients. */
public final class Continuity {
    private static final String USAGE =
            """
            usage: bench/continuity [--restarts] [--soak[=MINUTES]] [--idle] [--quick]
              --restarts  tests replicas behind a proxy during restarts and failures; the default
              --soak      runs one replica at half of its maximum rate for MINUTES; the default is ten
              --idle      tests one replica with 2,000 idle connections and 50 slow clients
            """;

    private static final String SOAK = "--soak(=[0-9.]+)?";
    private static final double SOAK_MINUTES = 10;

    private final List<String> flags;
    private final boolean quick;
    private final Leftovers leftovers;
    private final Report report = new Report();

    private Continuity(List<String> flags, Leftovers leftovers) {
        this.flags = flags;
        this.quick = flags.contains("--quick");
        this.leftovers = leftovers;
    }

    public static void main(String[] arguments) throws Exception {
        var flags = List.of(arguments);
        if (!flags.stream().allMatch(flag -> flag.matches("--(restarts|idle|quick)|" + SOAK))) {
            System.err.print(USAGE);
            System.exit(2);
        }
        var leftovers = new Leftovers();
        Runtime.getRuntime().addShutdownHook(new Thread(leftovers::close));
        boolean passed = false;
        try {
            passed = new Continuity(flags, leftovers).run();
        } catch (Exception e) {
            e.printStackTrace();
            System.exit(3);
        }
        // A small run only tests the benchmark. Its figures are not results.
        System.exit(passed || flags.contains("--quick") ? 0 : 1);
    }

    private boolean run() throws Exception {
        long start = System.nanoTime();
        var cluster = leftovers.add(new Cluster(leftovers.directory()));
        var receiver = leftovers.add(new Receiver());
        describe(cluster);
        boolean soak = flags.stream().anyMatch(flag -> flag.matches(SOAK));
        boolean idle = flags.contains("--idle");
        if (flags.contains("--restarts") || !soak && !idle) {
            new Restarts(setting(cluster, receiver, "restarts"), report).run();
        }
        if (soak) {
            new Soak(setting(cluster, receiver, "soak"), soakSeconds(), quick ? 5 : 20, report).run();
        }
        if (idle) {
            new Idle(setting(cluster, receiver, "idle"), quick ? 3 : 15, report).run();
        }
        System.out.print("\n" + report);
        Report.say("\n%.0f s in total", (System.nanoTime() - start) / 1e9);
        return report.isPassed();
    }

    /** Each part has its own database. */
    private Restarts.Setting setting(Cluster cluster, Receiver receiver, String database) throws Exception {
        cluster.createDatabase(database, "template0");
        return new Restarts.Setting(leftovers, cluster, database, receiver, quick ? 0 : 120, quick ? 2 : 10);
    }

    private double soakSeconds() {
        var minutes = flags.stream()
                .filter(flag -> flag.startsWith("--soak="))
                .map(flag -> Double.parseDouble(flag.substring(7)))
                .findFirst();
        return 60 * minutes.orElse(quick ? 0.5 : SOAK_MINUTES);
    }

    private static void describe(Cluster cluster) throws Exception {
        var memory = Files.readAllLines(Path.of("/proc/meminfo")).getFirst().replaceAll(" +", " ");
        Report.say("commit    %s", Commands.run(List.of("git", "describe", "--always", "--dirty")).strip());
        Report.say("machine   %d processors, %s", Runtime.getRuntime().availableProcessors(), memory);
        Report.say("database  %s", cluster.describe());
        Report.say(
                "service   Java %s %s %s; otherwise as in production, log to a file",
                Runtime.version(), String.join(" ", Service.JAVA_OPTIONS), Service.SETTINGS);
    }
}
