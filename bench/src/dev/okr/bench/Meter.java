package dev.okr.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.function.ToDoubleFunction;

/** Puts load on one service and one database, and measures throughput, latency and processor time. */
final class Meter implements AutoCloseable {
    private static final int MAX_DRAIN_SECONDS = 60;
    private static final double SECONDS_TO_COUNT = 1.5;
    private static final double SECONDS_BETWEEN_SAMPLES = 0.25;

    final Cluster cluster;
    final String database;
    final Service service;
    final Path directory;
    private final Thread sampler;
    private volatile long maxRssBytes;
    private long errors;

    Meter(Cluster cluster, String database, Service service, Path directory) {
        this.cluster = cluster;
        this.database = database;
        this.service = service;
        this.directory = directory;
        this.sampler = Thread.ofPlatform().daemon().start(this::sample);
    }

    /**
     * The figures of one run, or the medians of several.
     *
     * @param requests the number of requests
     * @param p50 in milliseconds, like p99
     * @param serviceMicros processor time per request, like those of the database and the load generator
     */
    record Figures(
            double requests,
            double perSecond,
            double p50,
            double p99,
            double serviceMicros,
            double databaseMicros,
            double generatorMicros) {

        static Figures median(List<Figures> all) {
            return new Figures(
                    median(all, Figures::requests),
                    median(all, Figures::perSecond),
                    median(all, Figures::p50),
                    median(all, Figures::p99),
                    median(all, Figures::serviceMicros),
                    median(all, Figures::databaseMicros),
                    median(all, Figures::generatorMicros));
        }

        private static double median(List<Figures> all, ToDoubleFunction<Figures> figure) {
            return Numbers.median(all.stream().mapToDouble(figure).toArray());
        }

        String times() {
            return Report.format("p50 %.2f ms, p99 %.2f ms", p50, p99);
        }

        String processors() {
            return Report.format("%.0f, %.0f, %.0f µs", serviceMicros, databaseMicros, generatorMicros);
        }
    }

    Wrk wrk(String name, List<Target> targets) throws IOException {
        return new Wrk(directory, name, service.port(), targets);
    }

    Figures run(Wrk wrk, int seconds) throws IOException, SQLException {
        return run(wrk, seconds, Wrk.CONNECTIONS, Wrk.THREADS);
    }

    Figures run(Wrk wrk, int seconds, int connections, int threads) throws IOException, SQLException {
        service.emptyLog();
        double serviceBefore = service.cpuSeconds();
        double databaseBefore = cluster.cpuSeconds();
        var run = wrk.run(seconds, connections, threads);
        errors += run.errors().all();
        if (run.errors().all() > 0) {
            Report.say("  %s", run.errors());
        }
        var figures = new Figures(
                run.requests(),
                run.perSecond(),
                run.p50(),
                run.p99(),
                (service.cpuSeconds() - serviceBefore) / run.requests() * 1e6,
                (cluster.cpuSeconds() - databaseBefore) / run.requests() * 1e6,
                run.cpuSeconds() / run.requests() * 1e6);
        drain();
        return figures;
    }

    /** Runs the operations for this time, so that the JVM compiles their code. */
    void warmUp(List<Target> targets, int seconds) throws IOException, SQLException {
        double rate = run(wrk("warm-up", targets), seconds).perSecond();
        // The slow first requests are not part of the measurement.
        errors = 0;
        Report.say("  warmed up for %d s: %.0f requests/s", seconds, rate);
    }

    /** The number of rows inserted or changed so far. The database's statistics lag by a moment. */
    long writtenRows() throws SQLException {
        Commands.sleep(SECONDS_TO_COUNT);
        try (var connection = cluster.connect(database);
                var statement = connection.createStatement();
                var row = statement.executeQuery(
                        "SELECT tup_inserted + tup_updated FROM pg_stat_database WHERE datname = current_database()")) {
            row.next();
            return row.getLong(1);
        }
    }

    /** Waits until the service has processed the events of the changes. */
    void drain() throws SQLException {
        try (var connection = cluster.connect(database);
                var statement = connection.createStatement()) {
            long deadline = System.nanoTime() + MAX_DRAIN_SECONDS * 1_000_000_000L;
            while (System.nanoTime() < deadline) {
                try (var row = statement.executeQuery("SELECT EXISTS (SELECT FROM outbox)")) {
                    row.next();
                    if (!row.getBoolean(1)) {
                        return;
                    }
                }
                Commands.sleep(0.05);
            }
        }
        throw new IllegalStateException("the outbox does not become empty");
    }

    /** The number of responses other than 2xx and 3xx, and of connection failures. */
    long errors() {
        return errors;
    }

    long maxRssBytes() {
        return maxRssBytes;
    }

    private void sample() {
        while (!Thread.interrupted()) {
            try {
                maxRssBytes = Math.max(maxRssBytes, service.rssBytes());
                Thread.sleep((long) (SECONDS_BETWEEN_SAMPLES * 1_000));
            } catch (IOException | InterruptedException | IllegalStateException ended) {
                return;
            }
        }
    }

    @Override
    public void close() {
        sampler.interrupt();
        service.close();
    }
}
