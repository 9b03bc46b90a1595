package dev.okr.bench;

import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** Compares batches of check-ins with single check-ins on the same key results. */
final class Bulk {
    static final int CHECK_INS_OF_BATCH = 100;

    private static final int MAX_KEY_RESULTS = 10_000;

    /** Importers use few connections. Each takes the share of the machine that one request can use. */
    private static final int CONNECTIONS = 4;

    private static final double MIN_TIMES_FASTER = 3;
    private static final double MAX_P99_MILLIS = 500;

    private final Meter meter;
    private final Pace pace;
    private final Report report;
    private final Results results;
    private final List<Target> single;

    Bulk(Meter meter, Pace pace, Report report, Results results, Connection connection, int organization)
            throws SQLException {
        this.meter = meter;
        this.pace = pace;
        this.report = report;
        this.results = results;
        this.single = new Operations(connection, organization).checkIns(MAX_KEY_RESULTS, 1);
    }

    void run() throws SQLException, IOException {
        var batches = new ArrayList<Target>();
        for (int i = 0; i + CHECK_INS_OF_BATCH <= single.size(); i += CHECK_INS_OF_BATCH) {
            batches.add(Target.batch(single.subList(i, i + CHECK_INS_OF_BATCH)));
        }
        var one = new ArrayList<Meter.Figures>();
        var many = new ArrayList<Meter.Figures>();
        for (int i = 0; i < pace.repetitions(); i++) {
            one.add(meter.run(meter.wrk("single", single), pace.seconds()));
            many.add(meter.run(meter.wrk("batch", batches), pace.seconds(), CONNECTIONS, Wrk.THREADS));
        }
        report(Meter.Figures.median(one), Meter.Figures.median(many));
    }

    private void report(Meter.Figures one, Meter.Figures many) {
        double perSecond = many.perSecond() * CHECK_INS_OF_BATCH;
        double times = perSecond / one.perSecond();
        report.judge(
                "check-ins in batches of " + CHECK_INS_OF_BATCH + ", compared with single ones",
                Report.format("%.0f/s, %.0f/s: %.1f times", perSecond, one.perSecond(), times),
                Report.format(">= %.0f times", MIN_TIMES_FASTER),
                times >= MIN_TIMES_FASTER);
        report.judge(
                "  latency of a batch, " + CONNECTIONS + " connections",
                many.times(),
                Report.format("p99 <= %.0f ms", MAX_P99_MILLIS),
                many.p99() <= MAX_P99_MILLIS);
        report.tell("  processor time of a batch: service, database, load generator", many.processors());
        results.add("bulk", "batch", "check-ins in batches", perSecond, one.perSecond(), many.p99());
        Report.say("  check-ins in batches: %.0f/s; single: %.0f/s", perSecond, one.perSecond());
    }
}
