package dev.okr.objectives;

import dev.okr.objectives.Ancestors.Edge;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/** Alignments in memory. Finds the longest chains, loops, and the number of alignments above an objective. */
public final class AlignmentPaths {
    private static final int NONE = -1;

    private final Map<UUID, Integer> numbers = new HashMap<>();
    private final List<UUID> objectives = new ArrayList<>();
    private int[] parents = new int[16];
    private int[] children = new int[16];
    private int size;
    private boolean isMeasured;
    private int[] above = {};
    private int[] below = {};
    private long visits;

    public AlignmentPaths(Collection<Edge> edges) {
        add(edges);
    }

    void add(Collection<Edge> edges) {
        for (var edge : edges) {
            if (size == parents.length) {
                parents = Arrays.copyOf(parents, 2 * size);
                children = Arrays.copyOf(children, 2 * size);
            }
            parents[size] = number(edge.parent());
            children[size] = number(edge.child());
            size++;
        }
        isMeasured = false;
    }

    /** Removes the alignments that were added last. */
    void removeLast(int count) {
        size -= count;
        isMeasured = false;
    }

    /** How many alignments and objectives all computations have visited. Their time depends on it. */
    long visits() {
        return visits;
    }

    /** Computes the longest chains, unless nothing has changed since the last time. */
    private void measure() {
        if (!isMeasured) {
            above = longest(parents, children);
            below = longest(children, parents);
            isMeasured = true;
        }
    }

    private int number(UUID objective) {
        return numbers.computeIfAbsent(objective, id -> {
            objectives.add(id);
            return numbers.size();
        });
    }

    /** Whether an added alignment is in a loop, or on a chain between two loops. */
    public boolean isInLoop(Edge edge) {
        return isInLoop(edge.parent()) && isInLoop(edge.child());
    }

    private boolean isInLoop(UUID objective) {
        measure();
        var number = numbers.get(objective);
        return number != null && above[number] < 0 && below[number] < 0;
    }

    /** The number of objectives in the longest chain through an added alignment. It must not be in a loop. */
    public int longestChain(Edge edge) {
        measure();
        return Math.max(above[number(edge.parent())], 0) + Math.max(below[number(edge.child())], 0) + 2;
    }

    /**
     * The objectives of a shortest loop through an added alignment. Each one is the parent of the next. The list starts and
     * ends with the child. It is empty if there is no such loop.
     */
    List<UUID> loop(Edge edge) {
        int start = number(edge.child());
        int end = number(edge.parent());
        int[] reachedBy = new int[numbers.size()];
        search(List.of(start), reachedBy);
        if (reachedBy[end] == NONE) {
            return List.of();
        }
        var loop = new ArrayList<>(List.of(edge.child()));
        for (int objective = end; objective != start; objective = parents[reachedBy[objective]]) {
            loop.addFirst(objectives.get(objective));
        }
        loop.addFirst(edge.child());
        return loop;
    }

    /** Returns the given objectives and all below them. */
    Set<UUID> below(Collection<UUID> ids) {
        var below = new HashSet<>(ids);
        var from = ids.stream().filter(numbers::containsKey).map(numbers::get).toList();
        search(from, new int[numbers.size()]).forEach(each -> below.add(objectives.get(each)));
        return below;
    }

    /**
     * Returns the given objectives and all below them.
     *
     * @param reachedBy is filled with the alignment by which each objective was reached first
     */
    private List<Integer> search(List<Integer> from, int[] reachedBy) {
        int[] first = new int[numbers.size()];
        int[] next = index(parents, first);
        Arrays.fill(reachedBy, NONE);
        var visited = new ArrayList<>(from);
        for (int i = 0; i < visited.size(); i++) {
            for (int each = first[visited.get(i)]; each != NONE; each = next[each]) {
                if (reachedBy[children[each]] == NONE) {
                    reachedBy[children[each]] = each;
                    visited.add(children[each]);
                }
            }
        }
        return visited;
    }

    /** Whether more than {@code max} of the alignments are above one objective. */
    public boolean areMoreAboveOne(int max) {
        if (size <= max) {
            return false;
        }
        measure();
        int[] first = new int[numbers.size()];
        int[] next = index(children, first);
        int[] seenBy = new int[numbers.size()];
        Arrays.fill(seenBy, NONE);
        for (int objective = 0; objective < numbers.size(); objective++) {
            // An objective has fewer above it than its children have.
            if (below[objective] == 0 && areMoreAbove(objective, max, first, next, seenBy)) {
                return true;
            }
        }
        return false;
    }

    /** @param seenBy for each objective, the last objective from which it was reached */
    private boolean areMoreAbove(int objective, int max, int[] first, int[] next, int[] seenBy) {
        var visited = new ArrayList<>(List.of(objective));
        int count = 0;
        for (int i = 0; i < visited.size() && count <= max; i++) {
            for (int each = first[visited.get(i)]; each != NONE; each = next[each]) {
                count++;
                if (seenBy[parents[each]] != objective) {
                    seenBy[parents[each]] = objective;
                    visited.add(parents[each]);
                }
            }
        }
        visits += count;
        return count > max;
    }

    /**
     * Links the alignments that have the same objective at one end.
     *
     * @param ends the objective at this end of each alignment
     * @param first is filled with the first alignment of each objective
     * @return the next alignment after each one
     */
    private int[] index(int[] ends, int[] first) {
        int[] next = new int[size];
        Arrays.fill(first, NONE);
        visits += size + first.length;
        for (int edge = 0; edge < size; edge++) {
            next[edge] = first[ends[edge]];
            first[ends[edge]] = edge;
        }
        return next;
    }

    /**
     * The number of alignments in the longest chain that ends at each objective. -1 for those that cannot be reached
     * without a loop.
     */
    private int[] longest(int[] from, int[] to) {
        int count = numbers.size();
        int[] left = new int[count];
        for (int edge = 0; edge < size; edge++) {
            left[to[edge]]++;
        }
        int[] first = new int[count];
        int[] next = index(from, first);
        int[] length = new int[count];
        int[] ready = new int[count];
        int found = 0;
        for (int i = 0; i < count; i++) {
            if (left[i] == 0) {
                ready[found++] = i;
            }
        }
        for (int i = 0; i < found; i++) {
            int objective = ready[i];
            for (int edge = first[objective]; edge != NONE; edge = next[edge]) {
                int reached = to[edge];
                length[reached] = Math.max(length[reached], length[objective] + 1);
                if (--left[reached] == 0) {
                    ready[found++] = reached;
                }
            }
        }
        for (int i = 0; i < count; i++) {
            if (left[i] > 0) {
                length[i] = NONE;
            }
        }
        return length;
    }
}
