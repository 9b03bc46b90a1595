package dev.okr.bench;

import java.io.IOException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Captures the statements of single requests from the server's log. A unit is a transaction or a statement outside one.
 * Units that also occur without a request, or with less than half of the requests, belong to background jobs and are
 * left out.
 */
final class Capture {
    private static final double MIN_SHARE = 0.5;
    private static final double SECONDS_BETWEEN = 0.01;
    private static final double SECONDS_IDLE = 2.5;

    private final Service service;
    private final ServerLog log;
    private final Set<String> idle = new HashSet<>();
    private final Map<String, Integer> seen = new HashMap<>();
    private final List<List<List<Statement>>> requests = new ArrayList<>();
    private long bytes;

    private Capture(Service service, ServerLog log) {
        this.service = service;
        this.log = log;
    }

    /**
     * The captured statements.
     *
     * @param requests the statements of each target's request
     * @param bytes the average size of a response body
     */
    record Captured(List<List<Statement>> requests, int bytes) {}

    /** Sends a request to each target and returns its statements. */
    static Captured of(Cluster cluster, Service service, List<Target> targets) throws SQLException, IOException {
        try (var log = new ServerLog(cluster, Map.of("log_statement", "all"))) {
            return new Capture(service, log).run(targets);
        }
    }

    private Captured run(List<Target> targets) throws SQLException, IOException {
        var random = new Random(targets.size());
        var connections = new HashMap<String, Api>();
        log.readTo(log.mark());
        Commands.sleep(SECONDS_IDLE);
        try {
            for (var target : targets) {
                if (!connections.containsKey(target.token())) {
                    // Caches the API key, whose lookup is not part of each request.
                    connections.put(target.token(), new Api(service.port(), target.token()));
                    connections.get(target.token()).get("/v1/users/me");
                    log.readTo(log.mark());
                    Commands.sleep(SECONDS_BETWEEN);
                }
                request(connections.get(target.token()), target, random);
                Commands.sleep(SECONDS_BETWEEN);
            }
        } finally {
            for (var connection : connections.values()) {
                connection.close();
            }
        }
        Commands.sleep(SECONDS_IDLE);
        units(log.readTo(log.mark())).forEach(unit -> idle.add(signature(unit)));
        var own = requests.stream().map(this::own).toList();
        return new Captured(own, (int) (bytes / targets.size()));
    }

    private void request(Api api, Target target, Random random) throws SQLException, IOException {
        units(log.readTo(log.mark())).forEach(unit -> idle.add(signature(unit)));
        var answer = target.isCheckIn()
                ? api.change("POST", target.path(), target.body(random))
                : api.get(target.path());
        int end = log.mark();
        if (answer.status() / 100 != 2) {
            throw new IllegalStateException(target.path() + ": " + answer);
        }
        bytes += answer.body().length();
        var units = units(log.readTo(end));
        requests.add(units);
        units.stream().map(Capture::signature).distinct().forEach(each -> seen.merge(each, 1, Integer::sum));
    }

    private List<Statement> own(List<List<Statement>> units) {
        return units.stream()
                .filter(unit -> !idle.contains(signature(unit)))
                .filter(unit -> seen.get(signature(unit)) >= requests.size() * MIN_SHARE)
                .flatMap(List::stream)
                .toList();
    }

    private static String signature(List<Statement> unit) {
        return unit.stream().map(Statement::sql).collect(Collectors.joining(";\n"));
    }

    /**
     * Splits the statements of several sessions into units, ordered by their start. An unfinished transaction is left
     * out, since it cannot belong to an answered request.
     */
    static List<List<Statement>> units(List<ServerLog.Line> lines) {
        var units = new ArrayList<List<Statement>>();
        var open = new HashMap<String, List<Statement>>();
        for (var line : lines) {
            if (!line.message().startsWith("execute ") && !line.message().startsWith("statement: ")) {
                continue;
            }
            var statement = Statement.read(line.message(), line.detail(), line.session());
            var unit = open.get(statement.session());
            if (unit == null) {
                unit = new ArrayList<>();
                units.add(unit);
            }
            unit.add(statement);
            if (statement.begins()) {
                open.put(statement.session(), unit);
            } else if (statement.ends()) {
                open.remove(statement.session());
            }
        }
        for (var unended : open.values()) {
            units.removeIf(unit -> unit == unended);
        }
        return units;
    }
}
