package dev.okr.objectives.overview;

import dev.okr.objectives.progress.Progress;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.transactions.Sql;
import java.math.BigDecimal;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Calculates the progress of some objectives in the past, with today's key results, weights, targets and alignments.
 * The result is the mean of the objectives.
 *
 * <p>It uses several short statements in one snapshot. They return one row for each key result. The rows are fetched in
 * batches, so the memory does not depend on the number of check-ins.
 */
final class PastProgress {
    private static final int MAX_OBJECTIVES_PER_STATEMENT = 2_000;
    private static final int KEY_RESULTS_AT_ONCE = 200;

    /**
     * The points of objectives with contributing alignments are kept until the end. The limit is enough for 10,000
     * objectives. They need at most 48 MB.
     */
    private static final int MAX_KEPT_POINTS = 10_000 * HistoryQuery.MAX_POINTS;

    /** The alignments that count below some objectives, at any distance. */
    private static final String CHILDREN = """
            WITH RECURSIVE below (parent, child, weight) AS (
                SELECT a.parent_objective_id, a.child_objective_id, a.weight FROM alignment a
                WHERE a.organization_id = ? AND a.alignment_type = 'contributes_to' AND a.weight IS NOT NULL
                    AND a.parent_objective_id = ANY (?::uuid[])
                UNION
                SELECT a.parent_objective_id, a.child_objective_id, a.weight FROM below
                JOIN alignment a ON a.organization_id = ? AND a.parent_objective_id = below.child
                WHERE a.alignment_type = 'contributes_to' AND a.weight IS NOT NULL)
            SELECT below.parent, below.weight, o.id, o.progress, c.closed_at
            FROM below
            JOIN objective o ON o.organization_id = ? AND o.id = below.child
            JOIN cycle c ON c.organization_id = ? AND c.id = o.cycle_id
            """;

    // The LATERAL joins make the planner use the indexes. The check-ins of a key result come last recorded first.
    private static final String KEY_RESULTS = """
            SELECT k.id, k.objective_id, k.start_value, k.current_value, k.target_value, k.weight,
                width_bucket(k.updated_at, ?::timestamptz[]) AS updated, c.moments, c.past
            FROM unnest(?::uuid[]) AS wanted (id)
            CROSS JOIN LATERAL (
                SELECT * FROM key_result WHERE organization_id = ? AND objective_id = wanted.id OFFSET 0) k
            CROSS JOIN LATERAL (
                SELECT array_agg(each.moment) AS moments, array_agg(each.value) AS past FROM (
                    SELECT width_bucket(coalesce(recorded_at, created_at), ?::timestamptz[]) AS moment, value
                    FROM check_in WHERE organization_id = ? AND key_result_id = k.id
                    ORDER BY coalesce(recorded_at, created_at) DESC OFFSET 0) each) c
            """;

    // The last check-in and the last set value before each point, for key results that have set values.
    private static final String SET_VALUES = """
            WITH found AS MATERIALIZED (
                SELECT DISTINCT v.key_result_id AS id FROM unnest(?::uuid[]) AS wanted (id)
                JOIN key_result k ON k.organization_id = ? AND k.objective_id = wanted.id
                JOIN key_result_value v ON v.organization_id = ? AND v.key_result_id = k.id)
            SELECT DISTINCT ON (id, moment, is_set) * FROM (
                SELECT v.key_result_id AS id, width_bucket(v.set_at, ?::timestamptz[]) AS moment, v.set_at AS at,
                    v.value, true AS is_set
                FROM found JOIN key_result_value v ON v.organization_id = ? AND v.key_result_id = found.id
                UNION ALL
                SELECT c.key_result_id, width_bucket(coalesce(c.recorded_at, c.created_at), ?::timestamptz[]),
                    coalesce(c.recorded_at, c.created_at), c.value, false
                FROM found JOIN check_in c ON c.organization_id = ? AND c.key_result_id = found.id) e
            ORDER BY id, moment, is_set, at DESC
            """;

    private final Sql sql;
    private final UUID organizationId;
    private final List<Instant> moments;

    /** A microsecond after each point, because a check-in at the time of a point belongs to it. */
    private final List<Instant> bounds;

    private final Map<UUID, PastObjective> objectives = new LinkedHashMap<>();

    private PastProgress(Sql sql, UUID organizationId, List<Instant> moments) {
        this.sql = sql;
        this.organizationId = organizationId;
        this.moments = moments;
        this.bounds = moments.stream().map(moment -> moment.plusNanos(1_000)).toList();
    }

    /**
     * An objective as it is now.
     *
     * @param closedAt when its cycle was closed; null if it is open
     */
    record Present(UUID id, BigDecimal progress, @Nullable Instant closedAt) {
        static Present read(ResultSet row) throws SQLException {
            return new Present(Sql.uuid(row, "id"), row.getBigDecimal("progress"), Sql.instantOrNull(row, "closed_at"));
        }
    }

    /**
     * The mean progress of some objectives at each of these times, which are in ascending order.
     *
     * @throws Failure if there are too many points
     */
    static List<BigDecimal> of(Sql sql, UUID organizationId, List<Present> wanted, List<Instant> moments)
            throws SQLException {
        if (wanted.isEmpty() || moments.isEmpty()) {
            return Collections.nCopies(moments.size(), Progress.NONE);
        }
        return new PastProgress(sql, organizationId, moments).of(wanted);
    }

    private List<BigDecimal> of(List<Present> wanted) throws SQLException {
        var roots = wanted.stream().map(this::add).toList();
        readChildren(roots);
        requireRoom();
        var all = List.copyOf(objectives.values());
        var total = new long[moments.size()];
        for (int i = 0; i < all.size(); i += MAX_OBJECTIVES_PER_STATEMENT) {
            var some = all.subList(i, Math.min(i + MAX_OBJECTIVES_PER_STATEMENT, all.size()));
            readKeyResults(some);
            // An objective without contributing alignments is complete now. The others wait for their children.
            some.stream().filter(each -> !each.isLinked()).forEach(each -> each.addTo(total, moments));
        }
        roots.stream().filter(PastObjective::isLinked).forEach(each -> each.addTo(total, moments));
        var means = new ArrayList<BigDecimal>();
        for (long sum : total) {
            means.add(BigDecimal.valueOf(PastKeyResult.half(sum, roots.size()), PastKeyResult.PROGRESS_DECIMALS));
        }
        return means;
    }

    private PastObjective known(UUID id) {
        return Objects.requireNonNull(objectives.get(id));
    }

    private PastObjective add(Present present) {
        return objectives.computeIfAbsent(present.id, id -> new PastObjective(present, moments.size()));
    }

    /** Reads the children that contribute, their children and so on. */
    private void readChildren(List<PastObjective> roots) throws SQLException {
        var ids = roots.stream().map(PastObjective::id).toList();
        var children =
                sql.list(Child::read, CHILDREN, organizationId, ids, organizationId, organizationId, organizationId);
        children.forEach(child -> add(child.present));
        children.forEach(
                child -> known(child.parent).addChild(add(child.present), PastKeyResult.thousandths(child.weight)));
    }

    private record Child(UUID parent, BigDecimal weight, Present present) {
        static Child read(ResultSet row) throws SQLException {
            return new Child(Sql.uuid(row, "parent"), row.getBigDecimal("weight"), Present.read(row));
        }
    }

    private void requireRoom() {
        long linked =
                objectives.values().stream().filter(PastObjective::isLinked).count();
        if (linked * moments.size() > MAX_KEPT_POINTS) {
            throw Failure.malformed(("This history has too many points for %d aligned objectives."
                            + " Use a longer interval or a shorter period.")
                    .formatted(linked));
        }
    }

    private void readKeyResults(List<PastObjective> some) throws SQLException {
        var ids = some.stream().map(PastObjective::id).toList();
        var withSetValues = sql
                .list(
                        SetValue::read,
                        SET_VALUES,
                        ids,
                        organizationId,
                        organizationId,
                        bounds,
                        organizationId,
                        bounds,
                        organizationId)
                .stream()
                .collect(Collectors.groupingBy(
                        SetValue::keyResult, Collectors.mapping(SetValue::value, Collectors.toList())));
        sql.each(
                KEY_RESULTS_AT_ONCE,
                row -> {
                    var keyResult = PastKeyResult.read(row);
                    var merged = withSetValues.get(Sql.uuid(row, "id"));
                    var values = merged == null
                            ? keyResult.checkIns(row.getString("moments"), row.getString("past"))
                            : keyResult.merged(merged);
                    known(Sql.uuid(row, "objective_id")).add(keyResult, values);
                },
                KEY_RESULTS,
                bounds,
                ids,
                organizationId,
                bounds,
                organizationId);
    }

    private record SetValue(UUID keyResult, PastKeyResult.Value value) {
        static SetValue read(ResultSet row) throws SQLException {
            return new SetValue(Sql.uuid(row, "id"), PastKeyResult.Value.read(row));
        }
    }
}
