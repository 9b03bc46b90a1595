package dev.okr.objectives.imports;

import dev.okr.objectives.Ancestors.Edge;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * Finds the longest chains of alignments, and the loops. It visits each alignment once, so it suits many new
 * alignments. {@code AlignmentGraph} checks a single one.
 */
final class AlignmentPaths {
    private final Map<UUID, Integer> numbers = new HashMap<>();
    private final int[] above;
    private final int[] below;

    AlignmentPaths(List<Edge> edges) {
        int[] parents = new int[edges.size()];
        int[] children = new int[edges.size()];
        for (int i = 0; i < edges.size(); i++) {
            parents[i] = number(edges.get(i).parent());
            children[i] = number(edges.get(i).child());
        }
        above = longest(parents, children);
        below = longest(children, parents);
    }

    private int number(UUID objective) {
        return numbers.computeIfAbsent(objective, id -> numbers.size());
    }

    /** Whether the alignment is in a loop, or on a chain between two loops. */
    boolean isInLoop(UUID parent, UUID child) {
        return isInLoop(parent) && isInLoop(child);
    }

    private boolean isInLoop(UUID objective) {
        int number = numbers.getOrDefault(objective, -1);
        return number >= 0 && above[number] < 0 && below[number] < 0;
    }

    /** The number of objectives in the longest chain with this alignment. The alignment must not be in a loop. */
    int objectives(UUID parent, UUID child) {
        return Math.max(above[numbers.getOrDefault(parent, 0)], 0)
                + Math.max(below[numbers.getOrDefault(child, 0)], 0)
                + 2;
    }

    /**
     * The number of alignments in the longest chain that ends at each objective. -1 for those that cannot be reached
     * without a loop.
     */
    private int[] longest(int[] from, int[] to) {
        int size = numbers.size();
        int[] left = new int[size];
        int[] first = new int[size];
        int[] next = new int[from.length];
        Arrays.fill(first, -1);
        for (int edge = 0; edge < from.length; edge++) {
            left[to[edge]]++;
            next[edge] = first[from[edge]];
            first[from[edge]] = edge;
        }
        int[] length = new int[size];
        var ready = new ArrayList<Integer>();
        for (int i = 0; i < size; i++) {
            if (left[i] == 0) {
                ready.add(i);
            }
        }
        for (int i = 0; i < ready.size(); i++) {
            int objective = ready.get(i);
            for (int edge = first[objective]; edge >= 0; edge = next[edge]) {
                int reached = to[edge];
                length[reached] = Math.max(length[reached], length[objective] + 1);
                if (--left[reached] == 0) {
                    ready.add(reached);
                }
            }
        }
        for (int i = 0; i < size; i++) {
            if (left[i] > 0) {
                length[i] = -1;
            }
        }
        return length;
    }
}
