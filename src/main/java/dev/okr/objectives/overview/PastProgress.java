package dev.okr.objectives.overview;

import dev.okr.objectives.progress.Progress;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.transactions.Sql;
import java.math.BigDecimal;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Calculates the progress of some objectives in the past, with today's key results, weights, targets and alignments.
 * The result is the mean of the objectives.
 *
 * <p>It uses several short statements in one snapshot. They return one row for each key result, with the last check-in
 * before each point. The rows are fetched in batches, so the memory does not depend on the number of check-ins. Objectives
 * without contributing alignments need no memory after their part of the mean is known.
 */
final class PastProgress {
    private static final int MAX_OBJECTIVES_PER_STATEMENT = 2_000;
    private static final int KEY_RESULTS_AT_ONCE = 200;
    private static final int OBJECTIVES_AT_ONCE = 1_000;

    /** Apart from its points, an objective with contributing alignments needs as much memory as this many points. */
    private static final int POINTS_OF_OBJECTIVE = 32;

    /** The same for an alignment. */
    private static final int POINTS_OF_ALIGNMENT = 3;

    /**
     * The points of objectives with contributing alignments are kept until the end. The limit is enough for 10,000
     * objectives. They need about 50 MB.
     */
    private static final int MAX_KEPT_POINTS = 10_000 * (HistoryQuery.MAX_POINTS + POINTS_OF_OBJECTIVE);

    /** The kept points of a small history, about an eighth of the maximum. So several fit into memory. */
    private static final int MAX_KEPT_POINTS_OF_SMALL = 500_000;

    /** A history of 190,000 objectives took 3.3 s. */
    private static final int MAX_OBJECTIVES_OF_SMALL = 10_000;

    /** Some objectives, and what contributes to them at any distance. The alignments come first. */
    private static final String WITH_CHILDREN = """
            WITH RECURSIVE root AS MATERIALIZED (%s), below (parent, child, weight) AS (
                SELECT a.parent_objective_id, a.child_objective_id, a.weight FROM root
                JOIN alignment a ON a.organization_id = ? AND a.parent_objective_id = root.id
                WHERE a.alignment_type = 'contributes_to' AND a.weight IS NOT NULL
                UNION
                SELECT a.parent_objective_id, a.child_objective_id, a.weight FROM below
                JOIN alignment a ON a.organization_id = ? AND a.parent_objective_id = below.child
                WHERE a.alignment_type = 'contributes_to' AND a.weight IS NOT NULL)
            SELECT e.parent, e.weight, o.id, o.progress, c.closed_at
            FROM (
                SELECT NULL::uuid AS parent, root.id, NULL::numeric AS weight FROM root
                UNION ALL SELECT below.parent, below.child, below.weight FROM below) e
            JOIN objective o ON o.organization_id = ? AND o.id = e.id
            JOIN cycle c ON c.organization_id = ? AND c.id = o.cycle_id
            ORDER BY e.parent IS NULL
            """;

    /** For a key result with more check-ins or set values, only the last one before each point is read. */
    private static final int MAX_READ_VALUES = 1_000;

    // The LATERAL joins make the planner use the indexes. The LIMIT does this even if most set values belong to one key
    // result. Only the last check-in and the last set value before each point matter. The latest comes first.
    private static final String KEY_RESULTS = """
            SELECT k.objective_id, k.start_value, k.current_value, k.target_value, k.weight,
                width_bucket(k.updated_at, ?::timestamptz[]) AS updated, c.moments, c.past, c.are_set
            FROM unnest(?::uuid[]) AS wanted (id)
            CROSS JOIN LATERAL (
                SELECT r.*, EXISTS (
                    SELECT 1 FROM check_in WHERE organization_id = ? AND key_result_id = r.id
                    ORDER BY coalesce(recorded_at, created_at) DESC OFFSET %1$d) AS has_many,
                EXISTS (
                    SELECT 1 FROM key_result_value WHERE organization_id = ? AND key_result_id = r.id
                    ORDER BY set_at DESC OFFSET %1$d) AS has_many_set
                FROM key_result r WHERE organization_id = ? AND objective_id = wanted.id OFFSET 0) k
            CROSS JOIN LATERAL (
                SELECT array_agg(each.moment) AS moments, array_agg(each.value) AS past,
                    CASE WHEN bool_or(each.is_set) THEN array_agg(each.is_set) END AS are_set
                FROM (
                    SELECT * FROM (
                        SELECT DISTINCT ON (moment, is_set) width_bucket(at, ?::timestamptz[]) AS moment, at, value, is_set
                        FROM (
                            SELECT coalesce(recorded_at, created_at) AS at, value, false AS is_set
                            FROM check_in WHERE organization_id = ? AND key_result_id = k.id AND NOT k.has_many
                            UNION ALL
                            SELECT last.at, last.value, false
                            FROM unnest(?::timestamptz[] || timestamptz 'infinity') AS point (bound)
                            CROSS JOIN LATERAL (
                                SELECT coalesce(recorded_at, created_at) AS at, value
                                FROM check_in WHERE organization_id = ? AND key_result_id = k.id
                                    AND coalesce(recorded_at, created_at) < point.bound
                                ORDER BY coalesce(recorded_at, created_at) DESC LIMIT 1) last
                            WHERE k.has_many
                            UNION ALL
                            (SELECT set_at, value, true
                            FROM key_result_value
                            WHERE organization_id = ? AND key_result_id = k.id AND NOT k.has_many_set
                            ORDER BY set_at DESC LIMIT %1$d)
                            UNION ALL
                            SELECT last.set_at, last.value, true
                            FROM unnest(?::timestamptz[] || timestamptz 'infinity') AS point (bound)
                            CROSS JOIN LATERAL (
                                SELECT set_at, value
                                FROM key_result_value WHERE organization_id = ? AND key_result_id = k.id
                                    AND set_at < point.bound
                                ORDER BY set_at DESC LIMIT 1) last
                            WHERE k.has_many_set) found
                        ORDER BY moment, is_set, at DESC) latest
                    ORDER BY at DESC OFFSET 0) each) c
            """.formatted(MAX_READ_VALUES);

    private final Sql sql;
    private final UUID organizationId;
    private final List<Instant> moments;
    private final boolean mayBeLarge;

    /** A microsecond after each point, because a check-in at the time of a point belongs to it. */
    private final List<Instant> bounds;

    /** The objectives with contributing alignments. They wait for each other. */
    private final Map<UUID, PastObjective> linked = new LinkedHashMap<>();

    /** Objectives whose past is wanted: those with contributing alignments, and others without key results yet. */
    private final List<PastObjective> linkedRoots = new ArrayList<>();

    private final Map<UUID, PastObjective> others = new LinkedHashMap<>();

    private final long[] total;
    private int roots;
    private int alignments;
    private BigDecimal sumOfPresent = BigDecimal.ZERO;

    /** Only a small history is allowed, but this one needs much memory or time. */
    static final class LargeHistory extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private LargeHistory() {
            super("large history", null, false, false);
        }
    }

    /**
     * @param moments the points, in ascending order
     * @param mayBeLarge whether the history may need much memory and time
     */
    PastProgress(Sql sql, UUID organizationId, List<Instant> moments, boolean mayBeLarge) {
        this.sql = sql;
        this.organizationId = organizationId;
        this.moments = moments;
        this.mayBeLarge = mayBeLarge;
        this.bounds = moments.stream().map(moment -> moment.plusNanos(1_000)).toList();
        this.total = new long[moments.size()];
    }

    /**
     * An objective as it is now.
     *
     * @param closedAt when its cycle was closed; null if it is open
     */
    record Present(UUID id, BigDecimal progress, @Nullable Instant closedAt) {}

    /**
     * An objective whose past is wanted, or one that contributes to another.
     *
     * @param parent the objective to which it contributes; null if its own past is wanted
     */
    private record Found(@Nullable UUID parent, BigDecimal weight, Present present) {
        static Found read(ResultSet row) throws SQLException {
            var weight = row.getBigDecimal("weight");
            return new Found(
                    row.getObject("parent", UUID.class),
                    weight == null ? BigDecimal.ZERO : weight,
                    new Present(
                            Sql.uuid(row, "id"), row.getBigDecimal("progress"), Sql.instantOrNull(row, "closed_at")));
        }
    }

    /**
     * A statement that finds objectives for {@link #addAll}.
     *
     * @param wanted selects the ids of the objectives whose past is wanted
     */
    static String statement(String wanted) {
        return WITH_CHILDREN.formatted(wanted);
    }

    /** The parameters of such a statement. */
    static Object[] parameters(UUID organizationId, Object... wanted) {
        return Stream.concat(Stream.of(wanted), Collections.nCopies(4, organizationId).stream())
                .toArray();
    }

    /**
     * @throws Failure if there are too many points
     * @throws LargeHistory if the history is large and {@code mayBeLarge} is false
     */
    void addAll(String statement, Object... parameters) throws SQLException {
        addAll(row -> {}, statement, parameters);
    }

    /**
     * Adds the objectives that a statement of this class finds.
     *
     * @param further takes the columns that the caller has added to the statement
     */
    void addAll(Sql.RowConsumer further, String statement, Object... parameters) throws SQLException {
        sql.each(
                OBJECTIVES_AT_ONCE,
                row -> {
                    add(Found.read(row));
                    further.accept(row);
                },
                statement,
                parameters);
    }

    private void add(Found found) throws SQLException {
        if (found.parent == null) {
            addWanted(found.present);
        } else {
            var child = linked(found.present.id);
            child.set(found.present);
            linked(found.parent).addChild(child, PastKeyResult.thousandths(found.weight));
            alignments++;
            requireRoom();
        }
    }

    private void addWanted(Present present) throws SQLException {
        roots++;
        requireSmall(roots <= MAX_OBJECTIVES_OF_SMALL);
        sumOfPresent = sumOfPresent.add(present.progress);
        var root = linked.get(present.id);
        if (root != null) {
            root.set(present);
            linkedRoots.add(root);
        } else if (!moments.isEmpty()) {
            addOther(present);
        }
    }

    /** Without contributing alignments, an objective is complete when its key results are known. */
    private void addOther(Present present) throws SQLException {
        var other = new PastObjective(present.id, moments.size());
        other.set(present);
        others.put(present.id, other);
        if (others.size() == MAX_OBJECTIVES_PER_STATEMENT) {
            readKeyResults(others.values());
            others.values().forEach(each -> each.addTo(total, moments));
            others.clear();
        }
    }

    /** The mean of the stored progress of the wanted objectives, which a cycle shows too. */
    BigDecimal present() {
        return Progress.mean(sumOfPresent, roots);
    }

    /** The mean progress of the wanted objectives at each point. Must be called once, after all have been added. */
    List<BigDecimal> means() throws SQLException {
        if (roots == 0 || moments.isEmpty()) {
            return Collections.nCopies(moments.size(), Progress.NONE);
        }
        var rest = new ArrayList<>(others.values());
        rest.addAll(linked.values());
        for (int i = 0; i < rest.size(); i += MAX_OBJECTIVES_PER_STATEMENT) {
            readKeyResults(rest.subList(i, Math.min(i + MAX_OBJECTIVES_PER_STATEMENT, rest.size())));
        }
        others.values().forEach(each -> each.addTo(total, moments));
        linkedRoots.forEach(each -> each.addTo(total, moments));
        var means = new ArrayList<BigDecimal>();
        for (long sum : total) {
            means.add(BigDecimal.valueOf(PastKeyResult.half(sum, roots), PastKeyResult.PROGRESS_DECIMALS));
        }
        return means;
    }

    private PastObjective linked(UUID id) {
        return linked.computeIfAbsent(id, key -> new PastObjective(key, moments.size()));
    }

    private PastObjective known(UUID id) {
        return Objects.requireNonNull(linked.getOrDefault(id, others.get(id)));
    }

    private void requireSmall(boolean isSmall) {
        if (!isSmall && !mayBeLarge) {
            throw new LargeHistory();
        }
    }

    private void requireRoom() {
        long points =
                (long) linked.size() * (moments.size() + POINTS_OF_OBJECTIVE) + (long) alignments * POINTS_OF_ALIGNMENT;
        requireSmall(points <= MAX_KEPT_POINTS_OF_SMALL);
        if (points > MAX_KEPT_POINTS) {
            throw Failure.malformed(("This history has too many points for %d aligned objectives."
                            + " Use a longer interval or a shorter period.")
                    .formatted(linked.size()));
        }
    }

    private void readKeyResults(Collection<PastObjective> some) throws SQLException {
        sql.each(
                KEY_RESULTS_AT_ONCE,
                row -> {
                    var keyResult = PastKeyResult.read(row);
                    var values =
                            keyResult.values(row.getString("moments"), row.getString("past"), row.getString("are_set"));
                    known(Sql.uuid(row, "objective_id")).add(keyResult, values);
                },
                KEY_RESULTS,
                bounds,
                some.stream().map(PastObjective::id).toList(),
                organizationId,
                organizationId,
                organizationId,
                bounds,
                organizationId,
                bounds,
                organizationId,
                organizationId,
                bounds,
                organizationId);
    }
}
