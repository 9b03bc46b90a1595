package dev.okr.bench;

import dev.okr.bench.Meter.Figures;
import dev.okr.bench.Operations.Operation;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Each operation beside its limit: H, requests of the same size that this service answers without the database, and D,
 * the same statements without this service. Whatever does both on these processors takes 1/H + 1/D.
 */
final class Limits {
    private static final double MIN_SHARE = 0.5;
    private static final int MAX_TRIES = 5;

    private final Meter meter;
    private final Pace pace;
    private final List<Operation> operations;

    Limits(Meter meter, Pace pace, List<Operation> operations) {
        this.meter = meter;
        this.pace = pace;
        this.operations = operations;
    }

    /** One operation and what its limit is made of; D is infinite when no statement is issued. */
    record Measured(Operation operation, Figures figures, double bare, double database, int statements) {
        double limit() {
            return operation.alone() ? bare : 1 / (1 / bare + 1 / database);
        }

        double share() {
            return figures.perSecond() / limit();
        }
    }

    List<Measured> run() throws SQLException, IOException {
        var contenders = new ArrayList<Contender>();
        for (var operation : operations) {
            contenders.add(new Contender(operation));
        }
        for (int i = 0; i < pace.repetitions(); i++) {
            for (var contender : contenders) {
                contender.measure();
            }
        }
        return contenders.stream().map(Contender::measured).toList();
    }

    /** An operation, its bare twin and its statements, which take turns. */
    private final class Contender {
        private final Operation operation;
        private final Wrk real;
        private final Wrk bare;
        private final Replay replay;
        private final List<Figures> figures = new ArrayList<>();
        private final List<Double> bareRates = new ArrayList<>();
        private final List<Double> databaseRates = new ArrayList<>();

        Contender(Operation operation) throws SQLException, IOException {
            this.operation = operation;
            real = meter.wrk(operation.key(), operation.targets());
            var since = Instant.now();
            var captured = Capture.of(meter.cluster, meter.service, sample(operation.targets()));
            bare = meter.wrk(
                    operation.key() + "-bare",
                    List.of(Target.get(
                            "/bench/bare?size=" + captured.bytes(),
                            operation.targets().getFirst().token())));
            replay = captured.requests().stream().allMatch(List::isEmpty)
                    ? null
                    : new Replay(
                            meter.cluster, meter.database, meter.directory, operation.key(), captured.requests(), since);
            if (replay != null) {
                Report.say("  %s: %d statements, %d bytes", operation.label(), statements(), captured.bytes());
                if (pace.details()) {
                    replay.statements().forEach(each -> Report.say("    %s", each.sql().replaceAll("\\s+", " ")));
                }
            }
        }

        /** Each target once, or more often when there are few. */
        private static List<Target> sample(List<Target> targets) {
            var sample = new ArrayList<Target>();
            for (int i = 0; i < Operations.RESOURCES; i++) {
                sample.add(targets.get(i % targets.size()));
            }
            return sample;
        }

        void measure() throws SQLException, IOException {
            bareRates.add(meter.run(bare, pace.seconds()).perSecond());
            if (replay != null && !operation.alone()) {
                databaseRates.add(databaseRate());
            }
            figures.add(meter.run(real, pace.seconds()));
            Report.say(
                    "  %s: H %.0f/s, D %.0f/s, measured %.0f/s",
                    operation.label(),
                    bareRates.getLast(),
                    databaseRates.isEmpty() ? Double.NaN : databaseRates.getLast(),
                    figures.getLast().perSecond());
        }

        /** The service stands still meanwhile: it would fan out the events that the statements append. */
        private double databaseRate() throws SQLException {
            meter.service.suspend();
            try {
                double rate = replay.run(pace.seconds());
                forgetEvents();
                return rate;
            } finally {
                meter.service.resume();
            }
        }

        private void forgetEvents() throws SQLException {
            for (int i = 1; ; i++) {
                try {
                    meter.cluster.execute(meter.database, "SET lock_timeout = '1s'", "TRUNCATE outbox");
                    return;
                } catch (SQLException locked) {
                    if (i == MAX_TRIES) {
                        throw locked;
                    }
                    // It was made to stand still in the middle of a transaction.
                    meter.service.resume();
                    Commands.sleep(0.05);
                    meter.service.suspend();
                }
            }
        }

        private int statements() {
            return replay == null ? 0 : replay.statements().size();
        }

        Measured measured() {
            return new Measured(
                    operation,
                    Figures.median(figures),
                    median(bareRates),
                    databaseRates.isEmpty() ? Double.POSITIVE_INFINITY : median(databaseRates),
                    statements());
        }
    }

    static void report(List<Measured> all, Report report, Results results) {
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

    /** The figures by the operation's key. */
    static Map<String, Figures> byKey(List<Measured> all) {
        var figures = new LinkedHashMap<String, Figures>();
        all.forEach(each -> figures.put(each.operation().key(), each.figures()));
        return figures;
    }

    private static double median(List<Double> values) {
        return Numbers.median(values.stream().mapToDouble(Double::doubleValue).toArray());
    }
}
