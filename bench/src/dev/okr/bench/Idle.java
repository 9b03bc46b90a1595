package dev.okr.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** Measures the effect of many idle clients on the other clients of one replica. */
final class Idle {
    private static final int IDLE = 2_000;
    private static final int SLOW = 50;
    private static final int ROUNDS = 3;
    private static final int OBJECTIVES = 16;
    private static final double PER_SECOND = 200;
    private static final double MAX_RATIO = 2;

    private final Restarts.Setting setting;
    private final Report report;
    private final double seconds;
    private final AtomicInteger numbers = new AtomicInteger();

    Idle(Restarts.Setting setting, double seconds, Report report) {
        this.setting = setting;
        this.seconds = seconds;
        this.report = report;
    }

    void run() throws Exception {
        var url = setting.cluster().url(setting.database());
        var quiet = new ArrayList<Double>();
        var crowded = new ArrayList<Double>();
        long sentAway = 0;
        long failed = 0;
        try (var service = setting.leftovers().add(new Service(setting.leftovers().directory(), url, List.of()));
                var api = service.connect()) {
            var subject = Subject.make(api, OBJECTIVES);
            p99(load(service, subject, seconds * 2), quiet);
            quiet.clear();
            for (int i = 0; i < ROUNDS; i++) {
                failed += p99(load(service, subject, seconds), quiet);
                try (var crowd = new Crowd(service.port(), IDLE, SLOW)) {
                    // Waits until all clients have connected.
                    Commands.sleep(1);
                    failed += p99(load(service, subject, seconds), crowded);
                    sentAway += crowd.sentAway();
                }
            }
        }
        double ratio = median(crowded) / median(quiet);
        report.judge(
                "p99 of a read, quiet and with %,d idle and %d slow".formatted(IDLE, SLOW),
                Report.format("%.1f, %.1f ms: %.2f times", median(quiet), median(crowded), ratio),
                Report.format("<= %.0f times", MAX_RATIO),
                ratio <= MAX_RATIO);
        report.tell("  each round", Report.format("%s ms, %s ms", list(quiet), list(crowded)));
        report.tell("  connections that the service ended", "%,d".formatted(sentAway));
        report.judge("  failed reads at 200/s", "%,d".formatted(failed), "0", failed == 0);
    }

    private List<Call> load(Service service, Subject subject, double forSeconds) {
        try (var load =
                new SteadyLoad(service.port(), service.token(), subject, OBJECTIVES, PER_SECOND, 0, numbers)) {
            Commands.sleep(forSeconds);
            return load.calls();
        }
    }

    /** Adds the 99th percentile and returns the number of failed requests. */
    private static long p99(List<Call> calls, List<Double> all) {
        all.add(Numbers.percentile(calls.stream().mapToDouble(Call::millis).toArray(), 0.99));
        calls.stream().filter(Call::isFailed).limit(5).forEach(call -> Report.say("  %s", call));
        return calls.stream().filter(Call::isFailed).count();
    }

    private static double median(List<Double> values) {
        return Numbers.median(values.stream().mapToDouble(Double::doubleValue).toArray());
    }

    private static String list(List<Double> values) {
        return String.join(", ", values.stream().map(each -> Report.format("%.1f", each)).toList());
    }
}
