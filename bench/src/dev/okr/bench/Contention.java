package dev.okr.bench;

import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;

/** Check-ins by 32 clients with different contention, and the wait events of their sessions. */
final class Contention {
    private static final int CLIENTS = 32;
    private static final double SECONDS_BETWEEN_SAMPLES = 0.02;
    private static final int SHOWN = 4;

    private static final String SAMPLE = """
            SELECT CASE WHEN state = 'active' THEN coalesce(wait_event_type || ' ' || wait_event, 'running')
                ELSE 'the service' END
            FROM pg_stat_activity WHERE application_name = 'okr-service' AND datname = current_database()
                AND state <> 'idle'
            """;

    private final Meter meter;
    private final Pace pace;
    private final Report report;
    private final Results results;
    private final Connection connection;
    private final Map<String, Integer> waits = new HashMap<>();

    /** @param connection a database connection for this class only */
    Contention(Meter meter, Pace pace, Report report, Results results, Connection connection) {
        this.meter = meter;
        this.pace = pace;
        this.report = report;
        this.results = results;
        this.connection = connection;
    }

    /** @param organization the organisation for the first two measurements */
    void run(int organization) throws SQLException, IOException, InterruptedException {
        var one = new Operations(connection, organization);
        measure("one objective", one.checkIns(1, Tenant.KEY_RESULTS_PER_OBJECTIVE));
        measure("different objectives of one cycle", one.checkInsOfOneCycle(CLIENTS));
        var others = new ArrayList<Target>();
        for (int i = 1; i <= CLIENTS; i++) {
            others.addAll(new Operations(connection, i).checkIns(1, 1));
        }
        measure("different organisations", others);
    }

    private void measure(String what, List<Target> targets) throws IOException, SQLException, InterruptedException {
        var wrk = meter.wrk("contention", targets);
        meter.run(wrk, pace.seconds() / 2 + 1);
        waits.clear();
        var over = new AtomicBoolean();
        var sampler = Thread.ofPlatform().start(() -> sample(over));
        Meter.Figures figures;
        try {
            figures = meter.run(wrk, pace.seconds());
        } finally {
            over.set(true);
            sampler.join();
        }
        results.add("contention", what, "check-ins on " + what, figures.perSecond(), figures.p50(), figures.p99());
        report.tell(
                "32 clients check in on " + what,
                Report.format("%.0f/s, %s", figures.perSecond(), figures.times()));
        report.tell("  sessions of the database, on average", bounds());
        report.tell("  processor time: service, database, load generator", figures.processors());
        Report.say("  check-ins on %s: %.0f/s; %s", what, figures.perSecond(), bounds());
    }

    private void sample(AtomicBoolean over) {
        try (var statement = connection.prepareStatement(SAMPLE)) {
            while (!over.get()) {
                waits.merge("", 1, Integer::sum);
                try (var rows = statement.executeQuery()) {
                    while (rows.next()) {
                        waits.merge(rows.getString(1), 1, Integer::sum);
                    }
                }
                Commands.sleep(SECONDS_BETWEEN_SAMPLES);
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The number of sessions by wait event, highest first. */
    private String bounds() {
        var counts = new TreeMap<>(waits);
        double samples = Math.max(1, counts.getOrDefault("", 0));
        counts.remove("");
        return counts.entrySet().stream()
                .sorted(Map.Entry.<String, Integer>comparingByValue().reversed())
                .limit(SHOWN)
                .map(each -> Report.format("%s %.1f", each.getKey(), each.getValue() / samples))
                .collect(Collectors.joining(", "));
    }
}
