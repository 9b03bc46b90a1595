package dev.okr.objectives;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Collectors;

/** The graph of alignments. It finds the loop that a new alignment would close. */
final class AlignmentGraph {
    private final Function<Collection<UUID>, List<Edge>> parentsOf;

    /** An existing alignment. */
    record Edge(UUID parent, UUID child) {}

    /** @param parentsOf finds all alignments that have one of the given objectives as child */
    AlignmentGraph(Function<Collection<UUID>, List<Edge>> parentsOf) {
        this.parentsOf = parentsOf;
    }

    /**
     * The objectives of the loop, each the parent of the next. The list starts and ends with the child. It is empty if
     * there is no loop. The search goes up one generation at a time and visits each objective once.
     */
    List<UUID> loop(UUID parent, UUID child) {
        Map<UUID, UUID> childOf = new HashMap<>();
        Set<UUID> generation = Set.of(parent);
        Set<UUID> seen = new HashSet<>(generation);
        while (!generation.isEmpty()) {
            var next = new HashSet<UUID>();
            for (var edge : parentsOf.apply(generation)) {
                if (seen.add(edge.parent())) {
                    childOf.put(edge.parent(), edge.child());
                    next.add(edge.parent());
                }
            }
            if (seen.contains(child)) {
                return path(child, parent, childOf);
            }
            generation = next;
        }
        return List.of();
    }

    /** The parents of an objective, their parents and so on. The search visits each objective once. */
    Set<UUID> ancestors(UUID objective) {
        var ancestors = new HashSet<UUID>();
        Set<UUID> generation = Set.of(objective);
        while (!generation.isEmpty()) {
            generation = parentsOf.apply(generation).stream()
                    .map(Edge::parent)
                    .filter(ancestors::add)
                    .collect(Collectors.toSet());
        }
        return ancestors;
    }

    private static List<UUID> path(UUID child, UUID parent, Map<UUID, UUID> childOf) {
        var path = new ArrayList<UUID>();
        for (var step = child; !step.equals(parent); step = childOf.getOrDefault(step, parent)) {
            path.add(step);
        }
        path.add(parent);
        path.add(child);
        return path;
    }
}
