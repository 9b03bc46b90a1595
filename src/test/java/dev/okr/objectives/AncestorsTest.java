package dev.okr.objectives;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class AncestorsTest {
    private static final UUID ROOT = new UUID(0, 1);
    private static final UUID BRANCH = new UUID(0, 2);
    private static final UUID LEAF = new UUID(0, 3);
    private static final UUID OTHER_ROOT = new UUID(0, 4);

    @Test
    void the_level_is_the_length_of_the_longest_chain_above() {
        var ancestors = new Ancestors(
                List.of(edge(ROOT, LEAF), edge(BRANCH, LEAF), edge(ROOT, BRANCH), edge(OTHER_ROOT, LEAF)));
        assertThat(ancestors.level(ROOT)).isZero();
        assertThat(ancestors.level(OTHER_ROOT)).isZero();
        assertThat(ancestors.level(BRANCH)).isOne();
        assertThat(ancestors.level(LEAF)).isEqualTo(2);
        assertThat(ancestors.parents(LEAF)).containsExactlyInAnyOrder(ROOT, BRANCH, OTHER_ROOT);
        assertThat(ancestors.all()).containsExactlyInAnyOrder(ROOT, BRANCH, LEAF, OTHER_ROOT);
    }

    @Test
    void an_objective_without_parents_has_the_lowest_level() {
        var ancestors = new Ancestors(List.of());
        assertThat(ancestors.level(LEAF)).isZero();
        assertThat(ancestors.parents(LEAF)).isEmpty();
        assertThat(ancestors.all()).isEmpty();
    }

    @Test
    void every_child_has_a_higher_level_than_its_parents() {
        var random = new Random(7);
        var objectives = new ArrayList<>(
                IntStream.range(0, 40).mapToObj(i -> new UUID(0, i)).toList());
        for (int round = 0; round < 100; round++) {
            Collections.shuffle(objectives, random);
            var edges = new ArrayList<Ancestors.Edge>();
            for (int i = 0; i < 120; i++) {
                int parent = random.nextInt(objectives.size() - 1);
                int child = parent + 1 + random.nextInt(objectives.size() - parent - 1);
                edges.add(edge(objectives.get(parent), objectives.get(child)));
            }
            var ancestors = new Ancestors(edges.stream().distinct().toList());
            assertThat(edges)
                    .allSatisfy(edge ->
                            assertThat(ancestors.level(edge.child())).isGreaterThan(ancestors.level(edge.parent())));
        }
    }

    /** So two transactions that start at different objectives use the same order of locks. */
    @Test
    void the_level_does_not_depend_on_where_the_search_starts() {
        var all = List.of(edge(ROOT, BRANCH), edge(BRANCH, LEAF), edge(OTHER_ROOT, LEAF));
        var aboveBranch = List.of(edge(ROOT, BRANCH));
        assertThat(new Ancestors(aboveBranch).level(BRANCH)).isEqualTo(new Ancestors(all).level(BRANCH));
    }

    private static Ancestors.Edge edge(UUID parent, UUID child) {
        return new Ancestors.Edge(parent, child);
    }
}
