package dev.okr.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** Writes the query plans of the statements of each operation of the API, as logged for real requests. */
final class Explain {
    /** Settings that make the service's sessions log each statement with its plan. */
    private static final List<String> SETTINGS = List.of(
            "session_preload_libraries = 'auto_explain'",
            "auto_explain.log_min_duration = 0",
            "auto_explain.log_analyze = on",
            "auto_explain.log_buffers = on");

    /** Settings of the service that keep rare jobs from running during the requests. */
    static final List<String> JAVA_OPTIONS = List.of(
            "-Dokr.cycles.move-every=1h",
            "-Dokr.webhooks.prune-every=1h",
            "-Dokr.deleted-objectives.prune-every=1h",
            "-Dokr.idempotency.prune-every=1h",
            "-Dokr.rate-limit.prune-every=1h");

    private static final double SECONDS_IDLE = 3;
    private static final double SECONDS_BETWEEN = 0.1;

    /** After the fifth execution, the driver and the server no longer change how they prepare and plan a statement. */
    private static final int REPETITIONS = 7;

    private final ServerLog log;
    private final Set<String> idle = new HashSet<>();
    private final List<Explained> all = new ArrayList<>();

    private Explain(ServerLog log) {
        this.log = log;
    }

    private record Explained(String operation, List<Plan> plans) {}

    /** Turns the logging of plans on or off for new sessions. */
    static void allow(Cluster cluster, String database, boolean allowed) throws SQLException {
        try (var connection = cluster.connect("postgres");
                var statement = connection.createStatement()) {
            // The server knows the settings only after LOAD.
            statement.execute("LOAD 'auto_explain'");
            for (var setting : SETTINGS) {
                statement.execute("ALTER DATABASE %s %s"
                        .formatted(database, allowed ? "SET " + setting : "RESET " + setting.split(" ")[0]));
            }
        }
    }

    static void write(Cluster cluster, Service service, Connection connection, int organization, String data, Path file)
            throws SQLException, IOException {
        try (var log = new ServerLog(cluster, java.util.Map.of());
                var api = service.connect()) {
            var explain = new Explain(log);
            log.readTo(log.mark());
            Commands.sleep(SECONDS_IDLE);
            new EveryOperation(api, connection, organization, explain::request).run();
            explain.all.forEach(each -> each.plans().removeIf(plan -> explain.idle.contains(plan.sql())));
            Files.writeString(file, explain.text(data, schema(connection)));
        }
    }

    private static String schema(Connection connection) throws SQLException {
        try (var statement = connection.createStatement();
                var row = statement.executeQuery("SELECT max(version::int) FROM flyway_schema_history")) {
            row.next();
            return row.getString(1);
        }
    }

    private String request(Api api, String operation, String method, String path, String json)
            throws SQLException, IOException {
        Set<String> usual = null;
        for (int i = 1; method.equals("GET") && i < REPETITIONS; i++) {
            api.get(path);
            usual = plans().stream().map(Plan::sql).collect(Collectors.toSet());
        }
        // Waits for the jobs that a change has caused.
        Commands.sleep(SECONDS_BETWEEN);
        plans().forEach(plan -> idle.add(plan.sql()));
        var answer = api.change(method, path, json);
        var plans = plans();
        if (usual != null) {
            // Statements that the previous request did not have belong to a job.
            var known = usual;
            plans.removeIf(plan -> !known.contains(plan.sql()));
        }
        all.add(new Explained(operation, plans));
        return answer.body();
    }

    private List<Plan> plans() throws SQLException, IOException {
        return log.readTo(log.mark()).stream()
                .map(ServerLog.Line::message)
                .filter(Plan::isPlan)
                .map(Plan::read)
                // The driver queries types when it sees them for the first time.
                .filter(plan -> !plan.sql().contains("pg_catalog"))
                // The lookup of the API key is cached, so it is not part of each request.
                .filter(plan -> !plan.sql().contains("token_hash"))
                .collect(Collectors.toCollection(ArrayList::new));
    }

    private String text(String data, String schema) {
        var text = new StringBuilder("""
                # The statements of each operation, and their plans

                Generated by `bench/speed --only=explain --explain=docs/generated/explain.md`.
                `auto_explain` logged the plans of real requests with `ANALYZE` and `BUFFERS`, which makes the times longer.
                Data: %s. Schema version: %s.

                | operation | statements | ms | buffers | sequential scans |
                | --- | --- | --- | --- | --- |
                """.formatted(data, schema));
        for (var each : all) {
            text.append(Report.format(
                    "| %s | %d | %.2f | %,d | %s |%n",
                    each.operation(),
                    each.plans().size(),
                    each.plans().stream().mapToDouble(Plan::millis).sum(),
                    each.plans().stream().mapToLong(Plan::buffers).sum(),
                    each.plans().stream()
                            .flatMap(plan -> plan.sequentialScans().stream())
                            .distinct()
                            .collect(Collectors.joining(", "))));
        }
        for (var each : all) {
            text.append("\n## ").append(each.operation()).append('\n');
            for (var plan : each.plans()) {
                text.append("\n```sql\n").append(plan.sql().strip()).append("\n```\n");
                text.append("\n```text\n").append(plan.plan()).append("\n```\n");
            }
        }
        return text.toString();
    }
}
