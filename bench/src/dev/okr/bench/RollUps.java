package dev.okr.bench;

import dev.okr.platform.ids.IdKind;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** Check-ins below a shared ancestor, compared with check-ins on unrelated objectives, and explanations of progress. */
final class RollUps {
    private static final int BRANCHES = 10;
    private static final int LEAVES = 100;

    /** The explained objective also has its own key results. */
    private static final int CHILDREN = 100 - Tenant.KEY_RESULTS_PER_OBJECTIVE;

    private static final double MIN_SHARE = 1.0 / 3;
    private static final double MAX_EXPLANATION_MILLIS = 10;

    private static final String OBJECTIVES = """
            SELECT id FROM objective WHERE organization_id = ?::uuid AND NOT rolls_up
            ORDER BY md5(id::text || 'roll-up') LIMIT ?
            """;
    private static final String KEY_RESULTS = """
            SELECT DISTINCT ON (objective_id) id, start_value, target_value FROM key_result
            WHERE organization_id = ?::uuid AND objective_id = ANY (?) AND metric_type <> 'boolean'
            ORDER BY objective_id, id
            """;
    private static final String ALIGN = """
            INSERT INTO alignment (organization_id, id, parent_objective_id, child_objective_id, alignment_type, weight,
                created_at, updated_at)
            VALUES (?::uuid, gen_random_uuid(), ?, ?, 'contributes_to', 1, now(), now())
            """;
    private static final String ROLL_UP =
            "UPDATE objective SET rolls_up = true WHERE organization_id = ?::uuid AND id IN (?, ?)";

    private final Meter meter;
    private final Pace pace;
    private final Report report;
    private final Results results;
    private final Connection connection;
    private final int organization;

    RollUps(Meter meter, Pace pace, Report report, Results results, Connection connection, int organization) {
        this.meter = meter;
        this.pace = pace;
        this.report = report;
        this.results = results;
        this.connection = connection;
        this.organization = organization;
    }

    void run() throws SQLException, IOException {
        var objectives = objectives(1 + BRANCHES + LEAVES + LEAVES + 1 + CHILDREN);
        var root = objectives.removeFirst();
        var branches = take(objectives, BRANCHES);
        var leaves = take(objectives, LEAVES);
        var unrelated = take(objectives, LEAVES);
        for (int i = 0; i < LEAVES; i++) {
            align(branches.get(i % BRANCHES), leaves.get(i));
        }
        for (var branch : branches) {
            align(root, branch);
        }
        compare(checkIns(leaves), checkIns(unrelated));
        var explained = objectives.removeFirst();
        for (var child : take(objectives, CHILDREN)) {
            align(explained, child);
        }
        explain(explained);
    }

    private void compare(List<Target> leaves, List<Target> unrelated) throws SQLException, IOException {
        var shared = new ArrayList<Meter.Figures>();
        var alone = new ArrayList<Meter.Figures>();
        meter.run(meter.wrk("roll-up", leaves), pace.seconds() / 2 + 1);
        for (int i = 0; i < pace.repetitions(); i++) {
            alone.add(meter.run(meter.wrk("unrelated", unrelated), pace.seconds()));
            shared.add(meter.run(meter.wrk("roll-up", leaves), pace.seconds()));
        }
        var one = Meter.Figures.median(shared);
        var other = Meter.Figures.median(alone);
        double share = one.perSecond() / other.perSecond();
        report.judge(
                "32 clients check in on 100 leaves of one tree, on 100 unrelated objectives",
                Report.format("%.0f/s, %.0f/s: %.2f times", one.perSecond(), other.perSecond(), share),
                Report.format(">= %.2f times", MIN_SHARE),
                share >= MIN_SHARE);
        report.tell("  latency", one.times() + "; " + other.times());
        report.tell("  processor time: service, database, load generator", one.processors() + "; " + other.processors());
        results.add("rollup", "leaves", "check-ins on the leaves of a tree", one.perSecond(), other.perSecond());
        Report.say("  check-ins on leaves: %.0f/s; unrelated: %.0f/s", one.perSecond(), other.perSecond());
    }

    private void explain(UUID objective) throws SQLException, IOException {
        var path = "/v1/objectives/%s/progress".formatted(IdKind.OBJECTIVE.format(objective));
        var wrk = meter.wrk("explain-progress", List.of(Target.get(path, Tenant.token(organization))));
        meter.run(wrk, pace.seconds() / 2 + 1, 1, 1);
        var figures = meter.run(wrk, pace.seconds(), 1, 1);
        report.judge(
                "the explanation of an objective with 100 contributions, one at a time",
                figures.times(),
                Report.format("p50 <= %.0f ms", MAX_EXPLANATION_MILLIS),
                figures.p50() <= MAX_EXPLANATION_MILLIS);
        results.add("rollup", "explanation", "explanation", figures.p50(), figures.p99());
    }

    private static List<UUID> take(List<UUID> objectives, int count) {
        var taken = new ArrayList<>(objectives.subList(0, count));
        objectives.subList(0, count).clear();
        return taken;
    }

    private List<UUID> objectives(int count) throws SQLException {
        try (var statement = connection.prepareStatement(OBJECTIVES)) {
            statement.setString(1, Tenant.organizationId(organization).toString());
            statement.setInt(2, count);
            var ids = new ArrayList<UUID>();
            try (var rows = statement.executeQuery()) {
                while (rows.next()) {
                    ids.add(rows.getObject(1, UUID.class));
                }
            }
            return ids;
        }
    }

    private void align(UUID parent, UUID child) throws SQLException {
        for (var sql : List.of(ALIGN, ROLL_UP)) {
            try (var statement = connection.prepareStatement(sql)) {
                statement.setString(1, Tenant.organizationId(organization).toString());
                statement.setObject(2, parent);
                statement.setObject(3, child);
                statement.executeUpdate();
            }
        }
    }

    private List<Target> checkIns(List<UUID> objectives) throws SQLException {
        try (var statement = connection.prepareStatement(KEY_RESULTS)) {
            statement.setString(1, Tenant.organizationId(organization).toString());
            statement.setArray(2, connection.createArrayOf("uuid", objectives.toArray()));
            var targets = new ArrayList<Target>();
            try (var rows = statement.executeQuery()) {
                while (rows.next()) {
                    targets.add(Target.checkIn(
                            IdKind.KEY_RESULT.format(rows.getObject(1, UUID.class)),
                            Tenant.token(organization),
                            rows.getDouble(2),
                            rows.getDouble(3)));
                }
            }
            return targets;
        }
    }
}
