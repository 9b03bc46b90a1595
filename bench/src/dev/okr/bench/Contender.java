package dev.okr.bench;

import dev.okr.bench.Meter.Figures;
import dev.okr.bench.Operations.Operation;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** Measures an operation, then the bare endpoint, then a replay of the SQL statements of the operation. */
final class Contender {
    private static final int MAX_TRIES = 5;

    /** As many as one client network has places for requests without a key. More would be refused with 503. */
    private static final int BARE_CONNECTIONS = 16;

    private final Meter meter;
    private final Pace pace;
    private final Operation operation;
    private final Wrk real;
    private final Wrk bare;
    private final Replay replay;
    private double writtenByRequest;
    private double writtenByReplay;
    private final List<Figures> figures = new ArrayList<>();
    private final List<Double> bareRates = new ArrayList<>();
    private final List<Double> databaseRates = new ArrayList<>();

    /** An operation with the parts of its limit. D is infinite if there are no statements. */
    record Measured(
            Operation operation,
            Figures figures,
            double bare,
            double database,
            int statements,
            double writtenByRequest,
            double writtenByReplay) {
        double limit() {
            return operation.alone() ? bare : 1 / (1 / bare + 1 / database);
        }

        double share() {
            return figures.perSecond() / limit();
        }
    }

    Contender(Meter meter, Pace pace, Operation operation) throws SQLException, IOException {
        this.meter = meter;
        this.pace = pace;
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
                        meter.cluster,
                        meter.database,
                        meter.directory,
                        operation.key(),
                        captured.requests(),
                        since,
                        changes());
        if (replay != null) {
            Report.say("  %s: %d statements, %d bytes", operation.label(), statements(), captured.bytes());
            if (pace.details()) {
                replay.statements().forEach(each -> Report.say("    %s", each.sql().replaceAll("\\s+", " ")));
            }
        }
    }

    /** A sample that contains each target at least once. */
    private static List<Target> sample(List<Target> targets) {
        var sample = new ArrayList<Target>();
        for (int i = 0; i < Operations.RESOURCES; i++) {
            sample.add(targets.get(i % targets.size()));
        }
        return sample;
    }

    void measure() throws SQLException, IOException {
        bareRates.add(meter.run(bare, pace.seconds(), BARE_CONNECTIONS, Wrk.THREADS).perSecond());
        if (replay != null && !operation.alone()) {
            databaseRates.add(databaseRate());
        }
        figures.add(requestRate());
        Report.say(
                "  %s: H %.0f/s, D %.0f/s, measured %.0f/s",
                operation.label(),
                bareRates.getLast(),
                databaseRates.isEmpty() ? Double.NaN : databaseRates.getLast(),
                figures.getLast().perSecond());
    }

    /** Suspends the service meanwhile, because it would fan out the events of the statements. */
    private double databaseRate() throws SQLException {
        meter.service.suspend();
        try {
            long before = changes() ? meter.writtenRows() : 0;
            var run = replay.run(pace.seconds());
            if (changes()) {
                writtenByReplay = (meter.writtenRows() - before) / (double) run.transactions();
            }
            forgetEvents();
            return run.perSecond();
        } finally {
            meter.service.resume();
        }
    }

    private Figures requestRate() throws SQLException, IOException {
        if (!changes()) {
            return meter.run(real, pace.seconds());
        }
        long before = meter.writtenRows();
        var run = meter.run(real, pace.seconds());
        writtenByRequest = (meter.writtenRows() - before) / run.requests();
        return run;
    }

    private boolean changes() {
        return operation.targets().getFirst().isCheckIn();
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
                // The service was suspended inside a transaction. Let it continue for a moment.
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
                statements(),
                writtenByRequest,
                writtenByReplay);
    }

    private static double median(List<Double> values) {
        return Numbers.median(values.stream().mapToDouble(Double::doubleValue).toArray());
    }
}
