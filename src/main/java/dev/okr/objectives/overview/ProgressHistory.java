package dev.okr.objectives.overview;

import dev.okr.objectives.progress.Progress;
import dev.okr.platform.transactions.Sql;
import java.math.BigDecimal;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

/**
 * Reconstructs the past progress of a cycle from check-ins. At each time, it is the mean of the objectives that existed
 * then. The progress of an objective is the weighted mean of its key results that existed then. What has imported check-ins
 * of an earlier time existed since the first of them. The value of a key result is the
 * value of its last check-in before that time, or its start value. Values are rounded and limited like in
 * {@link Progress}.
 *
 * <p>The result differs from the real past in five cases. Progress of contributing objectives is missing. Deleted
 * objectives and key results are missing. An objective that was moved here counts since its creation. A value that was
 * set without a check-in is missing. A changed weight, target or check-in counts with its current value at all times.
 */
final class ProgressHistory {
    /**
     * The largest number of objectives to read. For a larger cycle, every nth objective is read. With 3 key results for
     * each objective and 15 check-ins for each key result, this takes 0.6 s on two busy cores. The mean of the sample
     * is accurate to about one point.
     */
    static final int MAX_OBJECTIVES = 2_000;

    static final int MAX_DAYS_SHOWN = 60;

    // Each key result and each check-in is one change of a sum. So every row is read once, not once for each time. The
    // LATERAL joins make the planner use the indexes. It does not know that few objectives are shown, and the tables
    // hold the history of every organisation.
    private static final String CHANGES = """
            WITH shown AS MATERIALIZED (
                SELECT id, created_at FROM (
                    SELECT id, created_at, row_number() OVER (ORDER BY created_at DESC, id DESC) AS place
                    FROM objective WHERE organization_id = ? AND cycle_id = ?) o
                WHERE place % ? = 0),
            change AS (
                SELECT o.id AS objective_id, width_bucket(s.at, m.moments) AS moment,
                    sum(k.weight * s.progress) AS progress, sum(k.weight * s.key_results) AS weights
                FROM (SELECT ?::timestamptz[] AS moments) m
                CROSS JOIN shown o
                CROSS JOIN LATERAL (
                    SELECT id, start_value, target_value - start_value AS distance, weight, created_at FROM key_result
                    WHERE organization_id = ? AND objective_id = o.id OFFSET 0) k
                CROSS JOIN LATERAL (
                    SELECT least(k.created_at, (
                            SELECT min(coalesce(recorded_at, created_at)) FROM check_in
                            WHERE organization_id = ? AND key_result_id = k.id)) AS at,
                        0 AS progress, 1 AS key_results
                    UNION ALL
                    SELECT recorded_at,
                        progress - lead(progress, 1, 0.0) OVER (ORDER BY recorded_at DESC), 0 FROM (
                        SELECT coalesce(recorded_at, created_at) AS recorded_at,
                            round(greatest(0, least(1, (value - k.start_value) / k.distance)), 4) AS progress
                        FROM check_in WHERE organization_id = ? AND key_result_id = k.id
                        ORDER BY coalesce(recorded_at, created_at) DESC OFFSET 0) c) s
                GROUP BY o.id, moment),
            mean AS (
                SELECT objective_id, moment,
                    coalesce(round(sum(progress) OVER past / nullif(sum(weights) OVER past, 0), 4), 0) AS progress
                FROM change WINDOW past AS (PARTITION BY objective_id ORDER BY moment))
            SELECT moment, sum(progress) AS progress, sum(objectives) AS objectives FROM (
                SELECT moment, 0 AS objectives,
                    progress - lag(progress, 1, 0.0) OVER (PARTITION BY objective_id ORDER BY moment) AS progress
                FROM mean
                UNION ALL
                SELECT least(width_bucket(o.created_at, m.moments), min(c.moment)), 1, 0
                FROM (SELECT ?::timestamptz[] AS moments) m CROSS JOIN shown o
                LEFT JOIN change c ON c.objective_id = o.id GROUP BY o.id, o.created_at, m.moments) e
            GROUP BY moment
            """;

    private ProgressHistory() {}

    /** The change of the sums between the time before and this one. {@code moment} is the index of this time. */
    private record Change(int moment, BigDecimal progress, long objectives) {}

    /** The sampling interval for a cycle with this number of objectives. Every nth objective is read. */
    static long everyNth(long objectives) {
        return Math.max(1, Math.ceilDiv(objectives, MAX_OBJECTIVES));
    }

    /**
     * The times before {@code end} at which the progress is shown: the start of the cycle and the end of each of its
     * days. A long cycle shows every second or every third day, and so on. Days start at the time of day at which the
     * cycle starts.
     */
    static List<Instant> moments(CycleChoice cycle, Instant end) {
        long days = cycle.length().toDays();
        var step = Duration.ofDays(Math.max(1, Math.ceilDiv(days, MAX_DAYS_SHOWN)));
        return LongStream.rangeClosed(0, MAX_DAYS_SHOWN)
                .mapToObj(i -> cycle.startsAt().plus(step.multipliedBy(i)))
                .takeWhile(moment -> moment.isBefore(end))
                .toList();
    }

    /** The progress at each of these times, which are in ascending order. */
    static List<ProgressPoint> of(Sql sql, UUID organizationId, UUID cycleId, long everyNth, List<Instant> moments)
            throws SQLException {
        if (moments.isEmpty()) {
            return List.of();
        }
        var changes = sql
                .list(
                        ProgressHistory::read,
                        CHANGES,
                        organizationId,
                        cycleId,
                        everyNth,
                        moments,
                        organizationId,
                        organizationId,
                        organizationId,
                        moments)
                .stream()
                .collect(Collectors.toMap(Change::moment, change -> change));
        return running(changes, moments);
    }

    private static List<ProgressPoint> running(Map<Integer, Change> changes, List<Instant> moments) {
        var points = new ArrayList<ProgressPoint>();
        var progress = BigDecimal.ZERO;
        long objectives = 0;
        for (int i = 0; i < moments.size(); i++) {
            var change = changes.get(i);
            if (change != null) {
                progress = progress.add(change.progress());
                objectives += change.objectives();
            }
            points.add(new ProgressPoint(moments.get(i), Progress.mean(progress, objectives)));
        }
        return points;
    }

    private static Change read(ResultSet row) throws SQLException {
        return new Change(row.getInt("moment"), row.getBigDecimal("progress"), row.getLong("objectives"));
    }
}
