package dev.okr.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Makes a pgbench script of captured statements. A table has the values that differ between requests. Each client
 * sometimes reads a row of the table. The statements and parameters are therefore those of the service.
 */
final class Replay {
    /** High enough that reading the row has no effect on the result. */
    private static final int EXECUTIONS_PER_ROW = 50;

    private static final int IDS_PER_EXECUTION = 10;
    private static final Pattern DOLLARS = Pattern.compile("\\$(\\d+)");
    private static final Pattern TPS = Pattern.compile("tps = ([0-9.]+)");
    private static final Pattern TRANSACTIONS = Pattern.compile("transactions actually processed: (\\d+)");
    private static final Pattern FAILED = Pattern.compile("number of failed transactions: (\\d+)");

    private final Cluster cluster;
    private final String database;
    private final String table;
    private final List<List<Statement>> requests;
    private final Instant since;
    private final boolean changes;
    private final List<Parameter> parameters = new ArrayList<>();
    private final List<String> newIds = new ArrayList<>();
    private final Path script;

    /**
     * @param name the name of the table
     * @param captured the statements of each request
     * @param since when the requests started
     * @param changes whether the requests change data
     */
    Replay(
            Cluster cluster,
            String database,
            Path directory,
            String name,
            List<List<Statement>> captured,
            Instant since,
            boolean changes)
            throws SQLException, IOException {
        this.cluster = cluster;
        this.database = database;
        this.table = "bench." + name;
        this.requests = alike(captured);
        this.since = since;
        this.changes = changes;
        try (var connection = cluster.connect(database)) {
            var body = body(connection);
            fill(connection);
            script = Files.writeString(directory.resolve(name + ".sql"), head(body.contains(":f")) + body);
        }
    }

    /** The statements of one request. */
    List<Statement> statements() {
        return requests.getFirst();
    }

    /** The requests with the most common sequence of statements. */
    private static List<List<Statement>> alike(List<List<Statement>> captured) {
        var shapes = new HashMap<List<String>, List<List<Statement>>>();
        for (var request : captured) {
            shapes.computeIfAbsent(request.stream().map(Statement::sql).toList(), shape -> new ArrayList<>())
                    .add(request);
        }
        var most = Collections.max(shapes.values(), (one, other) -> Integer.compare(one.size(), other.size()));
        if (most.size() * 2 < captured.size() || most.getFirst().isEmpty()) {
            throw new IllegalStateException("requests differ in their statements: " + shapes.keySet());
        }
        return most;
    }

    private String body(Connection connection) throws SQLException {
        var types = new ParameterTypes(connection);
        var body = new StringBuilder();
        for (int i = 0; i < statements().size(); i++) {
            var statement = statements().get(i);
            var expressions = new ArrayList<String>();
            var typesOf = types.of(statement);
            for (int j = 0; j < statement.parameters().size(); j++) {
                int s = i;
                int p = j;
                var values = requests.stream()
                        .map(request -> request.get(s).parameters().get(p))
                        .toList();
                var parameter = new Parameter(i + "_" + j, typesOf.get(j), values, changes, since);
                expressions.add(parameter.expression(newIds));
                parameters.add(parameter);
            }
            var text = DOLLARS.matcher(statement.sql())
                    .replaceAll(match -> Matcher.quoteReplacement(
                            expressions.get(Integer.parseInt(match.group(1)) - 1)));
            if (!isSentWith(i - 1, i) && isSentWith(i, i + 1)) {
                body.append("\\startpipeline\n");
            }
            body.append(text).append(";\n");
            if (isSentWith(i - 1, i) && !isSentWith(i, i + 1)) {
                body.append("\\endpipeline\n");
            }
        }
        return body.toString();
    }

    /**
     * Whether the service sends two consecutive statements in one round trip. It does so for BEGIN with the reads, and
     * for the writes.
     */
    private boolean isSentWith(int one, int next) {
        if (one < 0 || next == statements().size()) {
            return false;
        }
        var first = statements().get(one);
        var second = statements().get(next);
        return !first.ends() && !second.begins() && !second.ends() && first.writes() == second.writes();
    }

    private String head(boolean varied) {
        var columns = parameters.stream().flatMap(each -> each.columns.stream()).toList();
        var head = new StringBuilder("\\set c :c + 1\n");
        if (!columns.isEmpty()) {
            head.append("\\if :c %% %d = 1\n".formatted(EXECUTIONS_PER_ROW));
            // Clients start at different rows.
            head.append("\\set r (:client_id * 3 + :c / %d * 7) %% %d\n"
                    .formatted(EXECUTIONS_PER_ROW, requests.size()));
            head.append("SELECT %s FROM %s WHERE i = :r \\gset\n".formatted(String.join(", ", columns), table));
            head.append("\\endif\n");
        }
        if (varied || parameters.stream().anyMatch(each -> !each.settings.isEmpty())) {
            head.append("\\set f random(1, 999999936) / 1000000007.0\n");
        }
        for (int i = 0; i < newIds.size(); i++) {
            // Twelve digits that increase with time, for all clients.
            head.append("\\set u%d 100000000000 + (:c * 100 + :client_id) * %d + %d\n"
                    .formatted(i, IDS_PER_EXECUTION, i));
        }
        parameters.forEach(each -> each.settings.forEach(setting -> head.append(setting).append('\n')));
        return head.toString();
    }

    private void fill(Connection connection) throws SQLException {
        var columns = parameters.stream().flatMap(each -> each.columns.stream()).toList();
        var values = parameters.stream().flatMap(each -> each.columnValues.stream()).toList();
        try (var statement = connection.createStatement()) {
            statement.execute("CREATE SCHEMA IF NOT EXISTS bench");
            statement.execute("DROP TABLE IF EXISTS " + table);
            statement.execute("CREATE TABLE %s (i int PRIMARY KEY%s)"
                    .formatted(table, String.join("", columns.stream().map(each -> ", " + each + " text").toList())));
        }
        var sql = "INSERT INTO %s VALUES (?%s)".formatted(table, ", ?".repeat(columns.size()));
        try (var insert = connection.prepareStatement(sql)) {
            for (int i = 0; i < requests.size(); i++) {
                insert.setInt(1, i);
                for (int j = 0; j < values.size(); j++) {
                    insert.setString(j + 2, values.get(j).get(i));
                }
                insert.executeUpdate();
            }
        }
    }

    /** The result of a run. */
    record Run(double perSecond, long transactions) {}

    /** Runs the script with all clients. */
    Run run(int seconds) {
        var now = Long.toHexString(Instant.now().toEpochMilli());
        var prefix = "0".repeat(12 - now.length()) + now;
        var command = cluster.client(
                "pgbench", "-n", "-M", "prepared", "-c", String.valueOf(Wrk.CONNECTIONS), "-j", "2",
                "-T", String.valueOf(seconds), "-D", "c=0",
                "-D", "p=" + prefix.substring(0, 8) + '-' + prefix.substring(8) + "-7000-8000-",
                "-f", script.toString(), database);
        var output = Commands.run(command);
        var tps = TPS.matcher(output);
        var failed = FAILED.matcher(output);
        var transactions = TRANSACTIONS.matcher(output);
        if (!tps.find() || !failed.find() || !failed.group(1).equals("0") || !transactions.find()) {
            throw new IllegalStateException(output);
        }
        return new Run(Double.parseDouble(tps.group(1)), Long.parseLong(transactions.group(1)));
    }
}
