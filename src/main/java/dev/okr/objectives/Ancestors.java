package dev.okr.objectives;

import dev.okr.platform.transactions.Sql;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.HashMap;
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
    /** Reads the {@link Edge}s above some objectives. */
    static final ForIds READ = ForIds.of("""
            WITH RECURSIVE above (parent, child) AS (
                SELECT a.parent_objective_id, a.child_objective_id FROM alignment a
                WHERE a.organization_id = :organization AND a.child_objective_id {ids}
                    AND a.alignment_type = 'contributes_to' AND a.weight IS NOT NULL
                UNION
                SELECT a.parent_objective_id, a.child_objective_id
                FROM above JOIN alignment a ON a.organization_id = :organization AND a.child_objective_id = above.parent
                WHERE a.alignment_type = 'contributes_to' AND a.weight IS NOT NULL)
            SELECT parent, child FROM above
            """);

    private final Map<UUID, List<UUID>> parents;
    private final Map<UUID, Integer> levels;

    /** An alignment that counts. */
    public record Edge(UUID parent, UUID child) {
        static Edge read(ResultSet row) throws SQLException {
            return new Edge(Sql.uuid(row, "parent"), Sql.uuid(row, "child"));
        }
    }

    Ancestors(List<Edge> edges) {
        parents = parents(edges);
        levels = levels(edges);
    }

    /** The caller holds the {@link ContributionLock}. */
    static Ancestors of(Collection<UUID> objectives) {
        return new Ancestors(edges(objectives));
    }

    /** The contributing alignments above some objectives. */
    static List<Edge> edges(Collection<UUID> objectives) {
        return READ.results(results -> results.next(Edge::read), objectives);
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
