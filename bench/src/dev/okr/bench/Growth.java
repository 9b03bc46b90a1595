package dev.okr.bench;

import dev.okr.bench.Meter.Figures;
import dev.okr.bench.Operations.Operation;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Compares the operations on small and large data, and measures the large organisation separately. */
final class Growth {
    static final int SMALL_ORGANIZATION = 1;
    static final int LARGE_ORGANIZATION = 0;

    private static final double MAX_TIMES_SLOWER = 1.5;
    private static final double MIN_RATE = 0.7;
    private static final int DEEP_PAGE = 1_000;
    private static final int PER_PAGE = 25;
    private static final double MAX_FIRST_PAGE_MILLIS = 5;
    private static final double MAX_DEEP_PAGE_MILLIS = 20;
    private static final double MAX_SORTED_PAGE_MILLIS = 10;
    private static final double MAX_CHANGED_MILLIS = 10;
    private static final double MAX_CYCLE_MILLIS = 20;

    private final Report report;
    private final Results results;
    private final Pace pace;

    Growth(Report report, Results results, Pace pace) {
        this.report = report;
        this.results = results;
        this.pace = pace;
    }

    /** The medians of alternating repetitions, without the limits. */
    Map<String, Figures> measure(Meter meter, List<Operation> operations) throws IOException, SQLException {
        var runs = new LinkedHashMap<String, List<Figures>>();
        for (int i = 0; i < pace.repetitions(); i++) {
            for (var operation : operations) {
                var figures = meter.run(meter.wrk(operation.key(), operation.targets()), pace.seconds());
                runs.computeIfAbsent(operation.key(), key -> new ArrayList<>()).add(figures);
                Report.say("  %s: %.0f/s, %s", operation.label(), figures.perSecond(), figures.times());
            }
        }
        var medians = new LinkedHashMap<String, Figures>();
        runs.forEach((key, figures) -> medians.put(key, Figures.median(figures)));
        return medians;
    }

    void compare(List<Operation> operations, Map<String, Figures> small, Map<String, Figures> large) {
        for (var operation : operations) {
            var s = small.get(operation.key());
            var l = large.get(operation.key());
            results.add("growth", operation.key(), operation.label(), s.p50(), l.p50(), s.perSecond(), l.perSecond());
            report.judge(
                    "a small organisation among many: " + operation.label(),
                    Report.format(
                            "p50 %.2f, %.2f ms: %.2f times; %.0f, %.0f/s: %.2f times",
                            s.p50(),
                            l.p50(),
                            l.p50() / s.p50(),
                            s.perSecond(),
                            l.perSecond(),
                            l.perSecond() / s.perSecond()),
                    Report.format("<= %.1f, >= %.1f times", MAX_TIMES_SLOWER, MIN_RATE),
                    l.p50() <= MAX_TIMES_SLOWER * s.p50() && l.perSecond() >= MIN_RATE * s.perSecond());
        }
    }

    /** Sends one request at a time to the organisation with all objectives in one cycle. */
    void largeOrganization(Meter meter, Connection connection, Size size) throws SQLException, IOException {
        var operations = new Operations(connection, LARGE_ORGANIZATION);
        var cycle = operations.cycles().getFirst();
        int last = Math.ceilDiv(size.firstObjectives(), PER_PAGE);
        int deep = Math.min(DEEP_PAGE, last);
        one(meter, "page 1", operations.page(cycle, 1), MAX_FIRST_PAGE_MILLIS, size);
        one(meter, "page " + deep, operations.page(cycle, deep), MAX_DEEP_PAGE_MILLIS, size);
        one(meter, "page 1 by progress", operations.byProgress(cycle), MAX_SORTED_PAGE_MILLIS, size);
        for (var table : List.of("objective", "key_result", "check_in")) {
            var list = "/v1/" + table.replace('_', '-') + 's';
            var target = operations.lastChanged(table, list);
            one(meter, list + " by updated_since, few matches", target, MAX_CHANGED_MILLIS, size);
        }
        var token = Tenant.token(LARGE_ORGANIZATION);
        one(meter, "GET the cycle", Target.get("/v1/cycles/" + cycle, token), MAX_CYCLE_MILLIS, size);
    }

    private void one(Meter meter, String what, Target target, double maxMillis, Size size)
            throws IOException, SQLException {
        var wrk = meter.wrk("large", List.of(target));
        meter.run(wrk, pace.seconds(), 1, 1);
        var figures = meter.run(wrk, pace.seconds(), 1, 1);
        results.add("large", what, what, figures.p50(), maxMillis);
        report.judge(
                Report.format("%,d objectives in one cycle, one at a time: %s", size.firstObjectives(), what),
                figures.times(),
                Report.format("p50 <= %.0f ms", maxMillis),
                figures.p50() <= maxMillis);
    }
}
