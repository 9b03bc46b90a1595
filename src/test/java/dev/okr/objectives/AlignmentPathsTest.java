package dev.okr.objectives;

import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.objectives.Ancestors.Edge;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class AlignmentPathsTest {
    private final List<Edge> edges = new ArrayList<>();

    @Test
    void without_other_alignments_there_is_no_loop() {
        assertThat(loop(1, 2)).isEmpty();
    }

    @Test
    void the_opposite_alignment_closes_a_loop_of_two() {
        align(1, 2);
        assertThat(loop(2, 1)).containsExactly(id(1), id(2), id(1));
    }

    @Test
    void a_loop_starts_and_ends_with_the_child() {
        align(1, 2);
        align(2, 3);
        align(3, 4);
        assertThat(loop(4, 1)).containsExactly(id(1), id(2), id(3), id(4), id(1));
        assertThat(loop(3, 2)).containsExactly(id(2), id(3), id(2));
    }

    @Test
    void a_second_path_in_the_same_direction_closes_no_loop() {
        align(1, 2);
        align(2, 3);
        assertThat(loop(1, 3)).isEmpty();
        assertThat(loop(1, 2)).isEmpty();
    }

    @Test
    void a_diamond_closes_no_loop() {
        align(1, 2);
        align(1, 3);
        align(2, 4);
        assertThat(loop(3, 4)).isEmpty();
    }

    @Test
    void a_loop_through_one_of_many_parents_is_found() {
        for (int i = 10; i < 100; i++) {
            align(i, 5);
        }
        align(1, 42);
        assertThat(loop(5, 1)).containsExactly(id(1), id(42), id(5), id(1));
    }

    @Test
    void the_longest_chain_is_counted_in_objectives() {
        align(1, 2);
        align(2, 3);
        align(1, 3);
        align(3, 4);
        align(5, 6);
        var paths = new AlignmentPaths(edges);
        assertThat(paths.longestChain(edge(1, 3))).isEqualTo(3);
        assertThat(paths.longestChain(edge(3, 4))).isEqualTo(4);
        assertThat(paths.longestChain(edge(1, 2))).isEqualTo(4);
        assertThat(paths.longestChain(edge(5, 6))).isEqualTo(2);
    }

    @Test
    void removed_alignments_no_longer_count() {
        align(1, 2);
        var paths = new AlignmentPaths(edges);
        paths.add(List.of(edge(2, 3), edge(3, 1)));
        assertThat(paths.isInLoop(edge(1, 2))).isTrue();
        paths.removeLast(1);
        assertThat(paths.isInLoop(edge(1, 2))).isFalse();
        assertThat(paths.longestChain(edge(1, 2))).isEqualTo(3);
    }

    @Test
    void an_alignment_above_an_objective_counts_once() {
        for (int middle = 2; middle <= 5; middle++) {
            align(1, middle);
            align(middle, 6);
        }
        var paths = new AlignmentPaths(edges);
        assertThat(paths.areMoreAboveOne(7)).isTrue();
        assertThat(paths.areMoreAboveOne(8)).isFalse();
        align(1, 7);
        assertThat(new AlignmentPaths(edges).areMoreAboveOne(8)).isFalse();
    }

    @Test
    void all_objectives_below_are_found() {
        align(1, 2);
        align(2, 3);
        align(4, 3);
        assertThat(new AlignmentPaths(edges).below(List.of(id(2), id(9))))
                .containsExactlyInAnyOrder(id(2), id(3), id(9));
    }

    @Test
    void an_existing_loop_does_not_cause_an_endless_search() {
        align(1, 2);
        align(2, 1);
        assertThat(loop(1, 3)).isEmpty();
    }

    /** The loop that a new alignment closes. */
    private List<UUID> loop(int parent, int child) {
        var paths = new AlignmentPaths(edges);
        paths.add(List.of(edge(parent, child)));
        var loop = paths.loop(edge(parent, child));
        assertThat(paths.isInLoop(edge(parent, child))).isEqualTo(!loop.isEmpty());
        return loop;
    }

    private void align(int parent, int child) {
        edges.add(edge(parent, child));
    }

    private static Edge edge(int parent, int child) {
        return new Edge(id(parent), id(child));
    }

    private static UUID id(int number) {
        return new UUID(0, number);
    }
}
