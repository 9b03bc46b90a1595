package dev.okr.bench;

import dev.okr.webhooks.delivery.QueueProbe;
import dev.okr.platform.ids.IdKind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;

/** Measures webhook deliveries and compares them with their targets. */
public final class Webhooks {
    private static final String DATABASE = "okr";

    // Each measurement has its own subscribers and its own event type.
    private static final String SINGLE_API = "objective.updated";
    private static final String SEVERAL = "key_result.updated";
    private static final String SINGLE = "check_in.updated";
    private static final String STUCK = "alignment.deleted";

    private static final int ENDPOINTS = 4;
    private static final int STUCK_ENDPOINTS = 10;
    private static final int IDLE_DEPTH = 20;
    private static final int SMALL_DEPTH = 1_000;
    private static final int DELIVERIES_PER_ENDPOINT = 8;

    private static final double MIN_PER_SECOND = 1_000;
    private static final double MAX_IDLE_MILLIS = 250;
    private static final double EVENTS_PER_SECOND = 500;
    private static final double MIN_REACHED = 0.98;
    private static final double MAX_BUSY_MILLIS = 1_000;
    private static final double MAX_MEMORY_RATIO = 1.1;
    private static final double MAX_CLAIM_RATIO = 1.5;

    /** The sizes of the measurements. Durations are in seconds. */
    private record Sizes(
            double warmUp,
            double several,
            double single,
            int idleChanges,
            double busy,
            int largeDepth,
            double depth,
            int probeRounds) {
        private static final Sizes FULL = new Sizes(20, 30, 15, 200, 20, 1_000_000, 15, 12);
        private static final Sizes QUICK = new Sizes(2, 5, 3, 15, 4, 20_000, 2, 4);
    }

    private final Sizes sizes;
    private final boolean details;
    private final String only;
    private final Report report = new Report();
    private final AtomicInteger numbers = new AtomicInteger();
    private final List<Endpoint> several = new ArrayList<>();
    private final List<String> secrets = new ArrayList<>();
    private final List<UUID> hanging = new ArrayList<>();
    private final List<UUID> closed = new ArrayList<>();
    private final Cluster cluster;
    private final Receiver receiver;
    private Endpoint single;
    private Endpoint singleApi;
    private String payload;

    private Webhooks(Sizes sizes, List<String> flags, Cluster cluster, Receiver receiver) {
        this.sizes = sizes;
        this.details = flags.contains("--details");
        this.only = flags.stream()
                .filter(flag -> flag.startsWith("--only="))
                .map(flag -> flag.substring(7))
                .findFirst()
                .orElse("");
        this.cluster = cluster;
        this.receiver = receiver;
    }

    public static void main(String[] arguments) throws Exception {
        var flags = List.of(arguments);
        var unknown = flags.stream()
                .filter(flag -> !List.of("--quick", "--details").contains(flag)
                        && !flag.startsWith("--jfr=")
                        && !flag.matches("--only=(rates|latencies|depths|claims)"))
                .toList();
        if (!unknown.isEmpty()) {
            System.err.println(
                    "usage: bench/webhooks [--quick] [--details] [--jfr=FILE]"
                    + " [--only=rates|latencies|depths|claims], not "
                            + unknown);
            System.exit(2);
        }
        var options = flags.stream()
                .filter(flag -> flag.startsWith("--jfr="))
                .map(flag -> "-XX:StartFlightRecording=settings=profile,dumponexit=true,filename=" + flag.substring(6))
                .toList();
        var leftovers = new Leftovers();
        Runtime.getRuntime().addShutdownHook(new Thread(leftovers::close));
        var directory = leftovers.directory();
        var cluster = leftovers.add(new Cluster(directory));
        var receiver = leftovers.add(new Receiver());
        var sizes = flags.contains("--quick") ? Sizes.QUICK : Sizes.FULL;
        boolean passed = new Webhooks(sizes, flags, cluster, receiver).run(leftovers, directory, options);
        // The exit also stops all started processes. A small run only tests the benchmark.
        System.exit(passed || flags.contains("--quick") ? 0 : 1);
    }

    private boolean run(Leftovers leftovers, Path directory, List<String> options) throws Exception {
        long start = System.nanoTime();
        say("machine   %d processors, %s", Runtime.getRuntime().availableProcessors(), memory());
        say("database  %s", cluster.describe());
        cluster.createDatabase(DATABASE, "template0");
        try (var service = leftovers.add(new Service(directory, cluster.url(DATABASE), options))) {
            say(
                    "service   Java %s %s %s; otherwise as in production, log to a file",
                    Runtime.version(), String.join(" ", Service.JAVA_OPTIONS), Service.SETTINGS);
            subscribe(service);
            var load = new Load(service, numbers);
            load.one(singleApi, 1, 0);
            try (var queue = Queue.open(cluster.connect(DATABASE))) {
                measure(service, load, queue);
                verify();
                service.close();
                queue.emptyAll();
                payload = queue.payload();
            }
        }
        if (wants("claims")) {
            probe();
        }
        say("");
        System.out.print(report);
        say("\n%.0f s in total", (System.nanoTime() - start) / 1e9);
        return report.isPassed();
    }

    private void subscribe(Service service) throws IOException {
        try (var api = service.connect()) {
            singleApi = subscribe(api, true, SINGLE_API);
            single = subscribe(api, true, SINGLE);
            for (int i = 0; i < ENDPOINTS; i++) {
                several.add(subscribe(api, true, SEVERAL));
            }
            for (int i = 0; i < STUCK_ENDPOINTS / 2; i++) {
                hanging.add(create(api, receiver.open(false).url(), STUCK));
                closed.add(create(api, "http://127.0.0.1:" + Commands.freePort() + "/closed", STUCK));
            }
        }
    }

    private Endpoint subscribe(Api api, boolean answers, String type) throws IOException {
        var endpoint = receiver.open(answers);
        create(api, endpoint.url(), type);
        return endpoint;
    }

    private UUID create(Api api, String url, String type) throws IOException {
        var answer = api.change("POST", "/v1/webhooks", "{\"url\":\"%s\",\"events\":[\"%s\"]}".formatted(url, type));
        secrets.add(answer.secret());
        return IdKind.WEBHOOK.parse(answer.id()).orElseThrow();
    }

    private void measure(Service service, Load load, Queue queue) throws Exception {
        var throughput = new Throughput(cluster, service, queue, numbers);
        say("warming up");
        if (!only.equals("claims")) {
            load.steady(singleApi, EVENTS_PER_SECOND, sizes.warmUp);
            throughput.run(List.of(single), SINGLE, 0, sizes.warmUp / 2);
        }
        if (wants("rates")) {
            rates(throughput, queue);
        }
        if (wants("latencies")) {
            latencies(load, queue);
        }
        if (wants("depths")) {
            depths(service, load, queue, throughput);
        }
    }

    private boolean wants(String part) {
        return only.isEmpty() || only.equals(part);
    }

    private void rates(Throughput throughput, Queue queue) throws SQLException, IOException {
        if (details) {
            queue.startStatistics();
        }
        var many = throughput.run(several, SEVERAL, sizes.warmUp / 2, sizes.several);
        report.judge(
                "sustained deliveries per second, %d endpoints".formatted(ENDPOINTS),
                Report.format(
                        "%.0f/s (slowest 5 s: %.0f/s; recorded: %.0f/s)",
                        many.arrived(), many.slowest(), many.recorded()),
                Report.format(">= %,.0f/s", MIN_PER_SECOND),
                Math.min(many.arrived(), many.recorded()) >= MIN_PER_SECOND);
        report.tell(
                "  processor time of each: service, database, benchmark",
                Report.format(
                        "%.2f, %.2f, %.2f ms (machine %.0f %% busy)",
                        many.serviceMillis(), many.databaseMillis(), many.benchmarkMillis(), many.busy() * 100));
        say("%d endpoints: %.0f/s", ENDPOINTS, many.arrived());
        if (details) {
            say("%s", queue.statistics());
            queue.startStatistics();
        }
        var one = throughput.run(List.of(single), SINGLE, sizes.warmUp / 4, sizes.single);
        report.tell("sustained deliveries per second, 1 endpoint", Report.format("%.0f/s", one.arrived()));
        say("1 endpoint: %.0f/s", one.arrived());
        if (details) {
            say("%s", queue.statistics());
        }
    }

    private void latencies(Load load, Queue queue) throws SQLException, IOException, InterruptedException {
        var idle = load.one(singleApi, sizes.idleChanges, 0.2);
        report.judge(
                "idle, %d changes over the API: event to arrival".formatted(sizes.idleChanges),
                idle.fromEventText(),
                Report.format("p99 < %.0f ms", MAX_IDLE_MILLIS),
                idle.p99() < MAX_IDLE_MILLIS);
        report.tell("  API's response to arrival", idle.fromResponseText());
        say("idle: %s", idle.fromEventText());
        if (details) {
            queue.startStatistics();
        }
        var busy = load.steady(singleApi, EVENTS_PER_SECOND, sizes.busy);
        report.judge(
                Report.format("%.0f events/s over the API: event to arrival", EVENTS_PER_SECOND),
                Report.format("%s (%.0f/s reached)", busy.fromEventText(), busy.perSecond()),
                Report.format("p99 < %,.0f ms", MAX_BUSY_MILLIS),
                busy.p99() < MAX_BUSY_MILLIS && busy.perSecond() >= EVENTS_PER_SECOND * MIN_REACHED);
        report.tell("  API's response to arrival", busy.fromResponseText());
        say("%.0f events/s: %s", EVENTS_PER_SECOND, busy.fromEventText());
        if (details) {
            say("%s", queue.statistics());
        }
    }

    /**
     * The measurements at one depth of the queue.
     *
     * @param times for 200 events per second over the API
     * @param rate of deliveries to endpoints that answer
     */
    private record AtDepth(double rssBytes, double heapBytes, Load.Times times, double rate) {}

    /**
     * Measures a short queue, a long queue and the short queue again. The difference between the short queues shows the
     * effect of time.
     */
    private void depths(Service service, Load load, Queue queue, Throughput throughput) throws Exception {
        var before = atDepth(service, load, queue, throughput, SMALL_DEPTH);
        var large = atDepth(service, load, queue, throughput, sizes.largeDepth);
        var after = atDepth(service, load, queue, throughput, SMALL_DEPTH);
        double rss = large.rssBytes() / Math.max(before.rssBytes(), after.rssBytes());
        double heap = large.heapBytes() / Math.max(before.heapBytes(), after.heapBytes());
        report.judge(
                "resident memory at %,d, %,d, %,d pending".formatted(SMALL_DEPTH, sizes.largeDepth, SMALL_DEPTH),
                megabytes(before.rssBytes(), large.rssBytes(), after.rssBytes()),
                Report.format("<= %.1f times", MAX_MEMORY_RATIO),
                rss <= MAX_MEMORY_RATIO);
        report.judge(
                "  live heap",
                megabytes(before.heapBytes(), large.heapBytes(), after.heapBytes()),
                Report.format("<= %.1f times", MAX_MEMORY_RATIO),
                heap <= MAX_MEMORY_RATIO);
        report.tell(
                "  200 events/s over the API: event to arrival, p99",
                Report.format(
                        "%.0f, %.0f, %.0f ms",
                        before.times().p99(), large.times().p99(), after.times().p99()));
        report.tell(
                "  deliveries per second to %d endpoints that answer".formatted(ENDPOINTS),
                Report.format("%.0f, %.0f, %.0f/s", before.rate(), large.rate(), after.rate()));
    }

    private AtDepth atDepth(Service service, Load load, Queue queue, Throughput throughput, int depth)
            throws Exception {
        queue.fill(hanging, closed, STUCK, depth);
        queue.analyze();
        var times = new AtomicReference<Load.Times>();
        var failure = new AtomicReference<Exception>();
        if (details) {
            queue.startStatistics();
        }
        var loading = Thread.ofPlatform().start(() -> {
            try {
                times.set(load.steady(singleApi, 200, sizes.depth));
            } catch (Exception e) {
                failure.set(e);
            }
        });
        var rss = new ArrayList<Double>();
        var heap = new ArrayList<Double>();
        while (loading.isAlive()) {
            Commands.sleep(1);
            rss.add((double) service.rssBytes());
            if (rss.size() % 3 == 0 || rss.size() == 1) {
                heap.add((double) service.liveHeapBytes());
            }
        }
        if (failure.get() != null) {
            throw failure.get();
        }
        var rate =
                throughput.run(several, SEVERAL, sizes.depth / 5, sizes.depth).arrived();
        var result = new AtDepth(median(rss), median(heap), times.get(), rate);
        say(
                "%,d pending (%,d at the end): resident %.0f MiB, live heap %.0f MiB, 200 events/s %s, %.0f/s",
                depth,
                queue.pending(),
                result.rssBytes() / 0x1p20,
                result.heapBytes() / 0x1p20,
                result.times().fromEventText(),
                rate);
        if (details) {
            say("%s", queue.statistics());
        }
        queue.empty(STUCK);
        return result;
    }

    /**
     * Measures the statements of the queue without the service. Three databases alternate: a short queue, a long queue,
     * and a long queue with old statistics and plans.
     */
    private void probe() throws SQLException {
        cluster.createDatabase("small", DATABASE);
        cluster.createDatabase("large", DATABASE);
        cluster.createDatabase("grown", DATABASE);
        try (var small = new ProbedQueue("small", SMALL_DEPTH);
                var large = new ProbedQueue("large", sizes.largeDepth);
                var grown = new ProbedQueue("grown", IDLE_DEPTH)) {
            grown.growWithoutAnalyze(sizes.largeDepth);
            for (int i = 0; i < sizes.probeRounds; i++) {
                var queues = List.of(small, large, grown);
                (i % 2 == 0 ? queues : queues.reversed()).forEach(ProbedQueue::run);
            }
            claims("finding lanes and claiming", small.both, large.both, true);
            claims("  finding lanes", small.scans, large.scans, false);
            claims("  claiming %d".formatted(DELIVERIES_PER_ENDPOINT * STUCK_ENDPOINTS), small.claims, large.claims, false);
            claims("the same, with stale statistics", small.both, grown.both, true);
            claims("  finding lanes", small.scans, grown.scans, false);
            claims("  claiming %d".formatted(DELIVERIES_PER_ENDPOINT * STUCK_ENDPOINTS), small.claims, grown.claims, false);
        }
    }

    /** A queue of one depth and the times of its statements, in milliseconds. */
    private final class ProbedQueue implements AutoCloseable {
        private static final int REPETITIONS = 20;

        /** Limits the time of a run, so that the benchmark ends. */
        private static final long MAX_RUN_NANOS = 2_000_000_000;

        private final Queue queue;
        private final QueueProbe probe;
        private final List<UUID> webhooks = new ArrayList<>();
        private final List<Double> scans = new ArrayList<>();
        private final List<Double> claims = new ArrayList<>();
        private final List<Double> both = new ArrayList<>();

        ProbedQueue(String database, int depth) throws SQLException {
            queue = new Queue(cluster.connect(database), payload);
            webhooks.addAll(hanging);
            webhooks.addAll(closed);
            queue.fill(webhooks, webhooks, STUCK, depth);
            queue.analyze();
            probe = new QueueProbe(cluster.url(database), Cluster.USER);
        }

        /** Makes the queue grow without new statistics, as in the minute before autovacuum runs. */
        void growWithoutAnalyze(int depth) throws SQLException {
            // Must come first, because it causes the statements to be planned again.
            queue.stopVacuum();
            run();
            List.of(scans, claims, both).forEach(List::clear);
            queue.fill(webhooks, webhooks, SEVERAL, depth);
        }

        void run() {
            try {
                long deadline = System.nanoTime() + MAX_RUN_NANOS;
                for (int i = 0; i < REPETITIONS && System.nanoTime() < deadline; i++) {
                    var measured = probe.run(DELIVERIES_PER_ENDPOINT);
                    scans.add(measured.findNanos() / 1e6);
                    claims.add(measured.claimNanos() / 1e6);
                    both.add((measured.findNanos() + measured.claimNanos()) / 1e6);
                    queue.replace(measured.claimed(), STUCK, DELIVERIES_PER_ENDPOINT);
                }
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        public void close() throws SQLException {
            probe.close();
            queue.close();
        }
    }

    private void claims(String figure, List<Double> small, List<Double> large, boolean judged) {
        double ratio = median(large) / median(small);
        var measured = Report.format("%.2f, %.2f ms: %.2f times", median(small), median(large), ratio);
        if (judged) {
            report.judge(
                    "%s at %,d, %,d pending"
                            .formatted(figure, SMALL_DEPTH, sizes.largeDepth),
                    measured,
                    Report.format("<= %.1f times", MAX_CLAIM_RATIO),
                    ratio <= MAX_CLAIM_RATIO);
        } else {
            report.tell(figure, measured);
        }
    }

    /** Checks that the received requests are signed, and reports repetitions. */
    private void verify() {
        var endpoints = new ArrayList<>(several);
        endpoints.addFirst(single);
        endpoints.addFirst(singleApi);
        for (int i = 0; i < endpoints.size(); i++) {
            if (endpoints.get(i).received() > 0 && !endpoints.get(i).isSignedWith(secrets.get(i))) {
                throw new IllegalStateException("invalid signature");
            }
        }
        report.tell(
                "deliveries to endpoints that answer: different, repeated",
                "%,d, %,d"
                        .formatted(
                                endpoints.stream().mapToLong(Endpoint::received).sum(),
                                endpoints.stream().mapToLong(Endpoint::repeated).sum()));
    }

    private static double median(List<Double> values) {
        return Numbers.median(values.stream().mapToDouble(Double::doubleValue).toArray());
    }

    private static String megabytes(double... bytes) {
        return Arrays.stream(bytes)
                .mapToObj(each -> Report.format("%.0f", each / 0x1p20))
                .collect(Collectors.joining(", ", "", " MiB"));
    }

    private static String memory() throws IOException {
        return Files.readAllLines(Path.of("/proc/meminfo")).getFirst().replaceAll(" +", " ");
    }

    private static void say(String pattern, Object... arguments) {
        System.out.println(Report.format(pattern, arguments));
    }
}
