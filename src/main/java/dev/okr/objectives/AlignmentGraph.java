package dev.okr.objectives;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** The alignments above or below an objective. */
record AlignmentGraph(List<Edge> edges) {

    /**
     * An existing alignment.
     *
     * @param distance 1 if the objective itself is its parent or child. An alignment that chains of different lengths
     *     reach occurs once for each distance.
     */
    record Edge(UUID parent, UUID child, int distance) {}

    /** The number of alignments in the longest chain. */
    int depth() {
        return edges.stream().mapToInt(Edge::distance).max().orElse(0);
    }

    /**
     * The objectives of the loop that a new alignment would close. Each one is the parent of the next. The list starts
     * and ends with the child. It is empty if there is no loop.
     *
     * @param parent the objective that all edges are above
     */
    List<UUID> loop(UUID parent, UUID child) {
        var loop = new ArrayList<>(List.of(child));
        int start = edges.stream()
                .filter(edge -> edge.parent().equals(child))
                .mapToInt(Edge::distance)
                .min()
                .orElse(0);
        for (int distance = start; distance > 0; distance--) {
            loop.add(below(loop.getLast(), distance));
        }
        if (start == 0 && !parent.equals(child)) {
            return List.of();
        }
        loop.add(child);
        return loop;
    }

    /** The child of an alignment at this distance. */
    private UUID below(UUID parent, int distance) {
        return edges.stream()
                .filter(edge -> edge.distance() == distance && edge.parent().equals(parent))
                .findFirst()
                .orElseThrow()
                .child();
    }
}
