package dev.okr.objectives.overview;

import dev.okr.objectives.progress.Progress;
import dev.okr.platform.transactions.Sql;
import java.math.BigDecimal;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;

/**
 * Reconstructs from the check-ins what a cycle's progress was: at each moment the mean of the objectives that existed
 * by then, each the mean of its key results that existed by then, each at the value of its last check-in before the
 * moment, or at its start without one. Rounded and clamped on the way as {@link Progress} does.
 *
 * <p>What it cannot know: a key result or objective that was deleted is missing from the past as well; one that was
 * moved here from another cycle counts from its creation on; a value that was set on the key result itself, and not by
 * a check-in, shows in the present alone; a target or check-in that was changed counts as if it had always been so.
 */
final class ProgressHistory {
    /**
     * Of a larger cycle only every nth objective is read, so that this is never exceeded. With 3 key results and 15
     * check-ins each, so many take 0.6 s on two busy cores, and the mean of a sample of them is right to about a point.
     */
    static final int MAX_OBJECTIVES = 2_000;

    // Each key result and check-in is one change of a sum, so that every row is read once and not for each moment.
    // The laterals hold the planner to the indexes: it cannot know how few objectives are shown, and the tables hold
    // the history of every organisation.
    private static final String CHANGES = """
            WITH shown AS MATERIALIZED (
                SELECT id, created_at FROM (
                    SELECT id, created_at, row_number() OVER (ORDER BY created_at DESC, id DESC) AS place
                    FROM objective WHERE organization_id = ? AND cycle_id = ?) o
                WHERE place % ? = 0),
            change AS (
                SELECT o.id AS objective_id, width_bucket(s.at, m.moments) AS moment,
                    sum(s.progress) AS progress, sum(s.key_results) AS key_results
                FROM (SELECT ?::timestamptz[] AS moments) m
                CROSS JOIN shown o
                CROSS JOIN LATERAL (
                    SELECT id, start_value, target_value - start_value AS distance, created_at FROM key_result
                    WHERE organization_id = ? AND objective_id = o.id OFFSET 0) k
                CROSS JOIN LATERAL (
                    SELECT k.created_at AS at, 0 AS progress, 1 AS key_results
                    UNION ALL
                    SELECT created_at, progress - lead(progress, 1, 0.0) OVER (ORDER BY created_at DESC), 0 FROM (
                        SELECT created_at,
                            round(greatest(0, least(1, (value - k.start_value) / k.distance)), 4) AS progress
                        FROM check_in WHERE organization_id = ? AND key_result_id = k.id
                        ORDER BY created_at DESC OFFSET 0) c) s
                GROUP BY o.id, moment),
            mean AS (
                SELECT objective_id, moment, round(sum(progress) OVER past / sum(key_results) OVER past, 4) AS progress
                FROM change WINDOW past AS (PARTITION BY objective_id ORDER BY moment))
            SELECT moment, sum(progress) AS progress, sum(objectives) AS objectives FROM (
                SELECT moment, 0 AS objectives,
                    progress - lag(progress, 1, 0.0) OVER (PARTITION BY objective_id ORDER BY moment) AS progress
                FROM mean
                UNION ALL
                SELECT width_bucket(created_at, ?::timestamptz[]), 1, 0 FROM shown) e
            GROUP BY moment
            """;

    private ProgressHistory() {}

    /** What became of the sums between the moment before and this one, which is the nth. */
    private record Change(int moment, BigDecimal progress, long objectives) {}

    /** Of how many objectives one is read, in a cycle of so many. */
    static long everyNth(long objectives) {
        return Math.max(1, Math.ceilDiv(objectives, MAX_OBJECTIVES));
    }

    /** The progress at each of these moments, which are in the order of time. */
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
