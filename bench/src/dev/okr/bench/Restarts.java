package dev.okr.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;

/**
 * Runs three replicas behind a proxy under load. They are restarted one by one. Then one is killed, and the database is
 * restarted.
 */
final class Restarts {
    private static final int REPLICAS = 3;
    private static final int ENDPOINTS = 3;
    private static final double PER_SECOND = 100;
    private static final int CHECK_IN_EVERY = 2;
    private static final double MAX_RECOVERY_SECONDS = 5;

    /** The time until the proxy has detected that a replica is back, with a margin. */
    private static final double SECONDS_TO_BE_SEEN = 2;

    private final Setting setting;
    private final Report report;
    private final List<Replica> replicas = new ArrayList<>();
    private SteadyLoad load;

    /**
     * The environment of the test.
     *
     * @param loadSeconds the minimum duration of the load
     * @param pauseSeconds the pause between failures
     */
    record Setting(
            Leftovers leftovers,
            Cluster cluster,
            String database,
            Receiver receiver,
            double loadSeconds,
            double pauseSeconds) {}

    Restarts(Setting setting, Report report) {
        this.setting = setting;
        this.report = report;
    }

    void run() throws Exception {
        var directory = setting.leftovers().directory();
        var token = Service.newToken();
        var cast = new Replica.Cast(
                directory,
                setting.cluster().url(setting.database()),
                Service.newKey(),
                Service.organizationFile(directory, token),
                token);
        for (int i = 0; i < REPLICAS; i++) {
            replicas.add(setting.leftovers().add(new Replica(cast, i + 1)));
            replicas.getLast().start();
        }
        var ports = replicas.stream().map(Replica::port).toList();
        var proxy = setting.leftovers().add(new Proxy(directory, ports));
        Commands.sleep(SECONDS_TO_BE_SEEN);
        var endpoints = new ArrayList<Endpoint>();
        Subject subject;
        try (var api = new Api(proxy.port(), token)) {
            subject = Subject.make(api, SteadyLoad.CLIENTS);
            endpoints.addAll(Subject.subscribe(api, setting.receiver(), ENDPOINTS));
        }
        long start = System.nanoTime();
        load = new SteadyLoad(
                proxy.port(), token, subject, SteadyLoad.CLIENTS, PER_SECOND, CHECK_IN_EVERY, new AtomicInteger());
        failures();
        Commands.sleep(Math.max(setting.pauseSeconds(), setting.loadSeconds() - secondsSince(start)));
        load.close();
        report.tell(
                "total requests, half of them check-ins",
                Report.format("%,d in %.0f s", load.size(), secondsSince(start)));
        var ledger = new Ledger(setting.cluster(), setting.database(), endpoints);
        report.tell("  time until all deliveries ended", Report.format("%.1f s", ledger.settle()));
        try (var api = new Api(proxy.port(), token)) {
            ledger.judge(report, api, subject, load.calls());
        }
        for (var replica : replicas) {
            replica.close();
        }
    }

    private void failures() throws Exception {
        Commands.sleep(setting.pauseSeconds());
        rolling();
        Commands.sleep(setting.pauseSeconds());
        killing();
        Commands.sleep(setting.pauseSeconds());
        withoutDatabase();
    }

    private void rolling() throws Exception {
        long start = System.nanoTime();
        for (var replica : replicas) {
            double stopped = replica.stop();
            double ready = replica.start();
            Report.say("  a replica stopped in %.1f s and was ready again %.1f s later", stopped, ready);
            Commands.sleep(SECONDS_TO_BE_SEEN);
        }
        long end = System.nanoTime();
        var calls = between(start, end);
        long failed = failed(calls, call -> true);
        report.judge(
                "rolling restart of %d: failed requests".formatted(REPLICAS),
                Report.format("%,d of %,d in %.0f s", failed, calls.size(), (end - start) / 1e9),
                "0",
                failed == 0 && !calls.isEmpty());
        times("rolling restart", calls);
        explain(calls);
    }

    private void killing() throws Exception {
        long before = System.nanoTime();
        replicas.getLast().kill();
        long after = System.nanoTime();
        Commands.sleep(Math.max(SECONDS_TO_BE_SEEN, setting.pauseSeconds() / 2));
        replicas.getLast().start();
        Commands.sleep(SECONDS_TO_BE_SEEN);
        var calls = between(before, System.nanoTime());
        long inFlight = failed(calls, call -> call.isUnderWay(before, after));
        long others = failed(calls, call -> !call.isUnderWay(before, after));
        report.judge(
                "kill -9 of one: failed requests not in flight",
                "%,d of %,d (in flight: %d)".formatted(others, calls.size(), inFlight),
                "0",
                others == 0);
        times("kill -9", calls);
        explain(calls);
    }

    /** Stops PostgreSQL without a clean shutdown and lets it recover from its WAL. */
    private void withoutDatabase() throws Exception {
        long start = System.nanoTime();
        setting.cluster().start(Map.of());
        long up = System.nanoTime();
        Commands.sleep(Math.max(MAX_RECOVERY_SECONDS * 2, setting.pauseSeconds()));
        var calls = between(start, System.nanoTime());
        long unavailable = failed(calls, Call::isUnavailable);
        long others = failed(calls, call -> !call.isUnavailable());
        double recovery = calls.stream()
                .filter(Call::isFailed)
                .mapToDouble(call -> (call.endedNanos() - up) / 1e9)
                .max()
                .orElse(0);
        report.judge(
                "database restart: failures other than a 503 problem",
                "%,d of %,d (503 problems: %,d, from the proxy: %,d)"
                        .formatted(others, calls.size(), unavailable, failed(calls, Restarts::isOfProxy)),
                "0",
                others == 0);
        report.judge(
                "database restart: last failure after its return",
                Report.format("%.1f s (unavailable for %.1f s)", Math.max(0, recovery), (up - start) / 1e9),
                Report.format("<= %.0f s", MAX_RECOVERY_SECONDS),
                recovery <= MAX_RECOVERY_SECONDS);
        times("database restart", calls);
        explain(calls.stream().filter(call -> !call.isUnavailable()).toList());
    }

    private static boolean isOfProxy(Call call) {
        return call.isUnavailable() && call.text().contains("No replica is ready");
    }

    private List<Call> between(long fromNanos, long toNanos) {
        // Waits until the requests that were sent in this time have ended.
        Commands.sleep(1);
        return load.calls().stream()
                .filter(call -> call.isUnderWay(fromNanos, toNanos))
                .toList();
    }

    private static long failed(List<Call> calls, Predicate<Call> condition) {
        return calls.stream().filter(Call::isFailed).filter(condition).count();
    }

    private void times(String figure, List<Call> calls) {
        var millis = calls.stream().mapToDouble(Call::millis).toArray();
        report.tell(
                "  %s: all requests".formatted(figure),
                Report.format(
                        "p50 %.0f ms, p99 %.0f ms, max %.0f ms",
                        Numbers.percentile(millis, 0.5),
                        Numbers.percentile(millis, 0.99),
                        Numbers.percentile(millis, 1)));
    }

    private static void explain(List<Call> calls) {
        calls.stream().filter(Call::isFailed).limit(5).forEach(call -> Report.say("  %s", call));
    }

    private static double secondsSince(long nanos) {
        return (System.nanoTime() - nanos) / 1e9;
    }
}
