package dev.okr.bench;

import dev.okr.platform.ids.IdKind;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * Measures what the life of a cycle needs: its history, its summary, carrying its objectives over, and closing it. It
 * adds cycles to an organisation with an API key. The check-ins are in the order of time, not in that of key results.
 */
final class CycleLives {
    private static final int ORGANIZATION = 31;
    private static final Duration LENGTH = Duration.ofDays(91);
    private static final int KEY_RESULTS = 3;
    private static final int CARRIED = 1_000;

    private static final double MAX_WEEKS_MILLIS = 500;
    private static final double MAX_DAYS_MILLIS = 2_000;
    private static final double MAX_CARRY_SECONDS = 5;
    private static final double MAX_CLOSE_SECONDS = 3;

    private static final String OBJECTIVES = """
            INSERT INTO objective (organization_id, id, title, owner_id, cycle_id, progress, status, created_at, updated_at)
            SELECT ?, gen_random_uuid(), 'Objective ' || n, ?, ?, 0, 'on_track', now() - n * interval '1 second', now()
            FROM generate_series(1, ?) n
            """;

    private static final String INSERT_KEY_RESULTS = """
            INSERT INTO key_result (organization_id, id, objective_id, title, metric_type, start_value, current_value,
                target_value, progress, owner_id, created_at, updated_at)
            SELECT o.organization_id, gen_random_uuid(), o.id, 'Key result ' || n, 'number', 0, 0, 20, 0, o.owner_id,
                now() - interval '91 days', now()
            FROM objective o CROSS JOIN generate_series(1, ?) n WHERE o.organization_id = ? AND o.cycle_id = ?
            """;

    private static final String CHECK_INS = """
            INSERT INTO check_in (organization_id, id, key_result_id, value, author_id, created_at, updated_at, recorded_at)
            SELECT k.organization_id, gen_random_uuid(), k.id, 1 + s / ?, k.owner_id, t.at, t.at, t.at
            FROM generate_series(0, ? - 1) s
            CROSS JOIN LATERAL (SELECT now() - interval '90 days' + s * (interval '90 days' / ?) AS at) t
            JOIN (
                SELECT k.*, row_number() OVER (ORDER BY k.id) - 1 AS n
                FROM key_result k JOIN objective o ON o.organization_id = k.organization_id AND o.id = k.objective_id
                WHERE k.organization_id = ? AND o.cycle_id = ?) k ON k.n = s % ?
            ORDER BY s
            """;

    private static final String CURRENT_VALUES = """
            UPDATE key_result k SET current_value = c.value, progress = round(c.value / 20, 4)
            FROM (SELECT key_result_id, max(value) AS value FROM check_in WHERE organization_id = ? GROUP BY 1) c
            WHERE k.organization_id = ? AND k.id = c.key_result_id AND k.title LIKE 'Key result %'
            """;

    private static final String PROGRESS = """
            UPDATE objective o SET progress = k.progress
            FROM (SELECT objective_id, round(avg(progress), 4) AS progress FROM key_result
                WHERE organization_id = ? GROUP BY 1) k
            WHERE o.organization_id = ? AND o.cycle_id = ? AND o.id = k.objective_id
            """;

    private static final String ALIGNMENTS = """
            INSERT INTO alignment (organization_id, id, parent_objective_id, child_objective_id, alignment_type, weight,
                created_at, updated_at)
            SELECT ?, gen_random_uuid(), p.id, c.id, 'contributes_to', 1, now(), now()
            FROM (SELECT id, row_number() OVER (ORDER BY id) AS n FROM objective
                WHERE organization_id = ? AND cycle_id = ?) c
            JOIN (SELECT id, row_number() OVER (ORDER BY id) AS n FROM objective
                WHERE organization_id = ? AND cycle_id = ?) p ON p.n = c.n / 10
            """;

    private static final String ROLL_UP =
            "UPDATE objective SET rolls_up = true WHERE organization_id = ? AND cycle_id = ?";

    private final Meter meter;
    private final Pace pace;
    private final Report report;
    private final Results results;
    private final Connection connection;
    private final boolean quick;
    private final Tenant tenant = new Tenant(ORGANIZATION, 1);

    CycleLives(Meter meter, Pace pace, Report report, Results results, Connection connection, boolean quick) {
        this.meter = meter;
        this.pace = pace;
        this.report = report;
        this.results = results;
        this.connection = connection;
        this.quick = quick;
    }

    void run() throws SQLException, IOException {
        int objectives = quick ? 100 : 10_000;
        int checkIns = 50 * objectives;
        var present = cycle("History", "active", LENGTH.dividedBy(91));
        fill(present, objectives, checkIns);
        var path = "/v1/cycles/" + IdKind.CYCLE.format(present);
        var what = Report.format("%,d objectives with %,d check-ins", objectives, checkIns);
        measure("history by week of " + what, path + "/progress-history?interval=week", MAX_WEEKS_MILLIS);
        measure("history by day of " + what, path + "/progress-history", MAX_DAYS_MILLIS);
        measure("summary of " + what, path + "/summary", 0);
        carryOver();
        close(quick ? 1_000 : 200_000);
    }

    private UUID cycle(String name, String status, Duration remaining) throws SQLException {
        var id = UUID.randomUUID();
        var end = Instant.now().plus(remaining);
        execute(
                "INSERT INTO cycle (organization_id, id, name, starts_at, ends_at, status, created_at, updated_at)"
                        + " VALUES (?, ?, ?, ?, ?, ?, now(), now())",
                tenant.id,
                id,
                name + ' ' + id,
                end.minus(LENGTH),
                end,
                status);
        return id;
    }

    private void fill(UUID cycle, int objectives, int checkIns) throws SQLException {
        long start = System.nanoTime();
        execute("SET session_replication_role = replica");
        execute(OBJECTIVES, tenant.id, tenant.user(0), cycle, objectives);
        execute(INSERT_KEY_RESULTS, KEY_RESULTS, tenant.id, cycle);
        if (checkIns > 0) {
            int keyResults = objectives * KEY_RESULTS;
            execute(CHECK_INS, keyResults, checkIns, checkIns, tenant.id, cycle, keyResults);
            execute(CURRENT_VALUES, tenant.id, tenant.id);
            execute(PROGRESS, tenant.id, tenant.id, cycle);
        }
        execute("SET session_replication_role = DEFAULT");
        Dataset.fillTotals(connection);
        execute("VACUUM (ANALYZE) objective");
        execute("VACUUM (ANALYZE) key_result");
        execute("VACUUM (ANALYZE) check_in");
        execute("CHECKPOINT");
        Report.say("  a cycle with %,d objectives in %.0f s", objectives, (System.nanoTime() - start) / 1e9);
    }

    /** @param maxMillis 0 without a target */
    private void measure(String what, String path, double maxMillis) throws IOException, SQLException {
        var wrk = meter.wrk("cycle", List.of(Target.get(path, Tenant.token(ORGANIZATION))));
        meter.run(wrk, pace.seconds(), 1, 1);
        var figures = meter.run(wrk, pace.seconds(), 1, 1);
        results.add("cycle", what, what, figures.p50(), maxMillis);
        if (maxMillis == 0) {
            report.tell(what, figures.times());
        } else {
            report.judge(
                    what,
                    figures.times(),
                    Report.format("p50 <= %.0f ms", maxMillis),
                    figures.p50() <= maxMillis);
        }
        report.tell("  processor time: service, database, load generator", figures.processors());
    }

    private void carryOver() throws SQLException, IOException {
        var from = cycle("Source", "active", LENGTH.dividedBy(91));
        fill(from, quick ? 10 : CARRIED, 0);
        execute(ALIGNMENTS, tenant.id, tenant.id, from, tenant.id, from);
        execute(ROLL_UP, tenant.id, from);
        var seconds = new ArrayList<Double>();
        for (int i = 0; i <= pace.repetitions(); i++) {
            var to = IdKind.CYCLE.format(cycle("Target " + i, "planned", LENGTH.multipliedBy(2)));
            var body = "{\"to\":\"%s\",\"values\":\"keep\"}".formatted(to);
            seconds.add(seconds("/v1/cycles/" + IdKind.CYCLE.format(from) + "/carry-over", body));
            meter.drain();
        }
        judge("1,000 objectives with 3,000 key results and 991 alignments are carried over", seconds, MAX_CARRY_SECONDS);
    }

    private void close(int objectives) throws SQLException, IOException {
        var cycle = cycle("Closing", "completed", LENGTH.dividedBy(-91));
        execute("SET session_replication_role = replica");
        execute(OBJECTIVES, tenant.id, tenant.user(0), cycle, objectives);
        execute("SET session_replication_role = DEFAULT");
        Dataset.fillTotals(connection);
        execute("VACUUM (ANALYZE) objective");
        execute("CHECKPOINT");
        var path = "/v1/cycles/" + IdKind.CYCLE.format(cycle);
        var seconds = new ArrayList<Double>();
        for (int i = 0; i <= pace.repetitions(); i++) {
            seconds.add(seconds(path + "/close", ""));
            seconds(path + "/reopen", "");
        }
        judge(Report.format("a cycle with %,d objectives is closed", objectives), seconds, MAX_CLOSE_SECONDS);
    }

    private double seconds(String path, String body) throws IOException {
        try (var api = new Api(meter.service.port(), Tenant.token(ORGANIZATION))) {
            long start = System.nanoTime();
            api.change("POST", path, body);
            return (System.nanoTime() - start) / 1e9;
        }
    }

    /** The first request is not part of the measurement. */
    private void judge(String what, List<Double> seconds, double max) {
        double median = Numbers.median(
                seconds.stream().skip(1).mapToDouble(Double::doubleValue).toArray());
        results.add("cycle", what, what, median, max);
        report.judge(what, Report.format("%.2f s", median), Report.format("<= %.0f s", max), median <= max);
    }

    private void execute(String sql, Object... parameters) throws SQLException {
        try (var statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < parameters.length; i++) {
                var parameter = parameters[i];
                statement.setObject(
                        i + 1, parameter instanceof Instant at ? OffsetDateTime.ofInstant(at, ZoneOffset.UTC) : parameter);
            }
            statement.execute();
        }
    }
}
