package dev.okr.bench;

import dev.okr.bench.Meter.Figures;
import dev.okr.bench.Operations.Operation;
import java.io.IOException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Compares each operation with its limit. H is the rate of responses of the same size without the database. D is the
 * rate of the same statements without the service. Doing both on these processors takes 1/H + 1/D.
 */
final class Limits {
    private static final double MIN_SHARE = 0.5;

    /** For a page with nested resources. */
    private static final int MAX_STATEMENTS_OF_PAGE = 2;

    private final Meter meter;
    private final Pace pace;
    private final List<Operation> operations;

    Limits(Meter meter, Pace pace, List<Operation> operations) {
        this.meter = meter;
        this.pace = pace;
        this.operations = operations;
    }

    List<Contender.Measured> run() throws SQLException, IOException {
        var contenders = new ArrayList<Contender>();
        for (var operation : operations) {
            contenders.add(new Contender(meter, pace, operation));
        }
        for (int i = 0; i < pace.repetitions(); i++) {
            for (var contender : contenders) {
                contender.measure();
            }
        }
        return contenders.stream().map(Contender::measured).toList();
    }

    static void report(List<Contender.Measured> all, Report report, Results results) {
        for (var each : all) {
            var figures = each.figures();
            report.judge(
                    each.operation().label(),
                    Report.format("%.0f/s: %.2f of %.0f/s", figures.perSecond(), each.share(), each.limit()),
                    Report.format(">= %.1f", MIN_SHARE),
                    each.share() >= MIN_SHARE);
            report.tell(
                    "  H; D; statements",
                    Double.isInfinite(each.database())
                            ? Report.format("%.0f/s; not counted; %d", each.bare(), each.statements())
                            : Report.format("%.0f/s; %.0f/s; %d", each.bare(), each.database(), each.statements()));
            if (each.operation().key().equals("include")) {
                report.judge(
                        "  statements of this page",
                        String.valueOf(each.statements()),
                        "<= " + MAX_STATEMENTS_OF_PAGE,
                        each.statements() <= MAX_STATEMENTS_OF_PAGE);
            }
            if (each.writtenByReplay() > 0) {
                // Checks that the repeated statements write as much as the requests.
                report.tell(
                        "  rows written by a request, by the repeated statements",
                        Report.format("%.2f, %.2f", each.writtenByRequest(), each.writtenByReplay()));
            }
            report.tell("  latency, 32 connections", figures.times());
            report.tell("  processor time: service, database, load generator", figures.processors());
            results.add(
                    "limit",
                    each.operation().key(),
                    each.operation().label(),
                    figures.perSecond(),
                    each.limit(),
                    figures.p50(),
                    figures.p99());
        }
    }

    /** The figures, by the key of the operation. */
    static Map<String, Figures> byKey(List<Contender.Measured> all) {
        var figures = new LinkedHashMap<String, Figures>();
        all.forEach(each -> figures.put(each.operation().key(), each.figures()));
        return figures;
    }
}
