package dev.okr.objectives;

import dev.okr.platform.errors.ErrorCode;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.transactions.Sql;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;

/**
 * The objectives to which some objectives contribute, directly or through others. The level of an objective is the
 * number of alignments in the longest chain above it. So a child has a higher level than all its parents. The levels do
 * not depend on the objectives from which the search starts.
 */
public final class Ancestors {
    private static final String EDGES = """
            WITH RECURSIVE above (parent, child) AS (
                SELECT a.parent_objective_id, a.child_objective_id FROM alignment a
                WHERE a.organization_id = :organization AND a.child_objective_id {ids}
                    AND a.alignment_type = 'contributes_to' AND a.weight IS NOT NULL
                UNION
                SELECT a.parent_objective_id, a.child_objective_id
                FROM above JOIN alignment a ON a.organization_id = :organization AND a.child_objective_id = above.parent
                WHERE a.alignment_type = 'contributes_to' AND a.weight IS NOT NULL)
            SELECT parent, child FROM above
            """;

    /** Reads the {@link Edge}s above some objectives. */
    static final ForIds READ = ForIds.of(EDGES);

    /**
     * The maximum number of alignments above the objectives of a batch. All of them are in memory, and their objectives
     * are locked.
     */
    private static final int MAX_OF_BATCH = 5_000;

    private static final ForIds READ_OF_BATCH = readAtMost(MAX_OF_BATCH + 1);

    /** A group is complete when it has more alignments than this. So it has at most about twice as many. */
    private static final int ENOUGH_FOR_GROUP = 20_000;

    private static final ForIds READ_GROUP = readAtMost(ENOUGH_FOR_GROUP + 1);

    /** There are at most 1,000 alignments above each objective. So all those above a few objectives fit into a group. */
    private static final int FEW = 20;

    private final Map<UUID, List<UUID>> parents;
    private final Map<UUID, Integer> levels;

    /** Takes some objectives and those to which they contribute. */
    @FunctionalInterface
    interface GroupWork<E extends Exception> {
        void accept(Set<UUID> objectives, Ancestors ancestors) throws E;
    }

    /** An alignment that counts. */
    public record Edge(UUID parent, UUID child) {
        static Edge read(ResultSet row) throws SQLException {
            return new Edge(Sql.uuid(row, "parent"), Sql.uuid(row, "child"));
        }
    }

    /**
     * Divides objectives into groups, because the alignments above all of them may not fit into memory. An ancestor can
     * belong to several groups. If each group calculates its objectives and then their ancestors, the last calculation of
     * an ancestor is right, because it comes after the last change of its children. The ancestor can then have several
     * events.
     *
     * <p>A later group can lock objectives that come before those of an earlier group. So several groups need the
     * exclusive {@link ContributionLock}. A batch of check-ins always has one group.
     */
    static final class Groups<E extends Exception> {
        private final GroupWork<E> work;
        private final Set<UUID> objectives = new LinkedHashSet<>();
        private final Set<Edge> edges = new LinkedHashSet<>();

        Groups(GroupWork<E> work) {
            this.work = work;
        }

        /** Adds objectives. It reads them in halves until the alignments above each half fit into a group. */
        void add(List<UUID> some) throws E {
            if (some.isEmpty()) {
                return;
            }
            boolean areFew = some.size() <= FEW;
            var found = Ancestors.edges(areFew ? READ : READ_GROUP, some);
            if (!areFew && found.size() > ENOUGH_FOR_GROUP) {
                int half = some.size() / 2;
                add(some.subList(0, half));
                add(some.subList(half, some.size()));
                return;
            }
            objectives.addAll(some);
            edges.addAll(found);
            if (edges.size() > ENOUGH_FOR_GROUP || objectives.size() > ENOUGH_FOR_GROUP) {
                finish();
            }
        }

        /** Completes the last group. */
        void finish() throws E {
            if (!objectives.isEmpty()) {
                work.accept(Set.copyOf(objectives), new Ancestors(List.copyOf(edges)));
                objectives.clear();
                edges.clear();
            }
        }
    }

    Ancestors(List<Edge> edges) {
        parents = parents(edges);
        levels = levels(edges);
    }

    /**
     * The ancestors of the objectives of one request. A single objective has its own limit. The caller holds the
     * {@link ContributionLock}.
     *
     * @throws Failure if there are too many alignments above them
     */
    static Ancestors ofBatch(Collection<UUID> objectives) {
        if (objectives.size() == 1) {
            return new Ancestors(edges(READ, objectives));
        }
        var edges = edges(READ_OF_BATCH, objectives);
        if (edges.size() > MAX_OF_BATCH) {
            throw Failure.of(
                    ErrorCode.LIMIT_REACHED,
                    "More than %d alignments are above these key results. Send fewer check-ins at once."
                            .formatted(MAX_OF_BATCH));
        }
        return new Ancestors(edges);
    }

    /** Reads at most so many of the {@link Edge}s above some objectives. */
    static ForIds readAtMost(int max) {
        return ForIds.of(EDGES + " LIMIT " + max);
    }

    /** The contributing alignments above some objectives. */
    private static List<Edge> edges(ForIds statement, Collection<UUID> objectives) {
        return statement.results(results -> results.next(Edge::read), objectives);
    }

    private static Map<UUID, List<UUID>> parents(List<Edge> edges) {
        return edges.stream()
                .collect(Collectors.groupingBy(Edge::child, Collectors.mapping(Edge::parent, Collectors.toList())));
    }

    List<UUID> parents(UUID child) {
        return parents.getOrDefault(child, List.of());
    }

    int level(UUID objective) {
        return levels.getOrDefault(objective, 0);
    }

    /** The levels of these objectives and of all their ancestors. */
    Map<UUID, Integer> levels(Set<UUID> objectives) {
        var all = new HashMap<>(levels);
        objectives.forEach(each -> all.putIfAbsent(each, 0));
        return all;
    }

    /** All objectives that have a parent or a child here. */
    Set<UUID> all() {
        return levels.keySet();
    }

    /** Visits each objective after all its parents. */
    private static Map<UUID, Integer> levels(List<Edge> edges) {
        var levels = new HashMap<UUID, Integer>();
        var parentsLeft = new HashMap<UUID, Integer>();
        for (var edge : edges) {
            levels.put(edge.parent, 0);
            levels.put(edge.child, 0);
            parentsLeft.merge(edge.child, 1, Integer::sum);
        }
        var children = edges.stream().collect(Collectors.groupingBy(Edge::parent));
        var next = new ArrayDeque<>(levels.keySet());
        next.removeAll(parentsLeft.keySet());
        while (!next.isEmpty()) {
            var parent = next.remove();
            int level = levels.getOrDefault(parent, 0);
            for (var edge : children.getOrDefault(parent, List.of())) {
                levels.merge(edge.child, level + 1, Math::max);
                if (parentsLeft.merge(edge.child, -1, Integer::sum) == 0) {
                    next.add(edge.child);
                }
            }
        }
        return levels;
    }
}
