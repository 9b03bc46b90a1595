package dev.okr.objectives;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class AlignmentGraphTest {
    private final List<AlignmentGraph.Edge> edges = new ArrayList<>();

    @Test
    void without_alignments_there_is_no_loop() {
        assertThat(above(1).loop(id(1), id(2))).isEmpty();
    }

    @Test
    void the_opposite_alignment_closes_a_loop_of_two() {
        align(1, 2);
        assertThat(above(2).loop(id(2), id(1))).containsExactly(id(1), id(2), id(1));
    }

    @Test
    void a_loop_starts_and_ends_with_the_child() {
        align(1, 2);
        align(2, 3);
        align(3, 4);
        assertThat(above(4).loop(id(4), id(1))).containsExactly(id(1), id(2), id(3), id(4), id(1));
        assertThat(above(3).loop(id(3), id(2))).containsExactly(id(2), id(3), id(2));
    }

    @Test
    void a_second_path_in_the_same_direction_closes_no_loop() {
        align(1, 2);
        align(2, 3);
        assertThat(above(1).loop(id(1), id(3))).isEmpty();
        assertThat(above(1).loop(id(1), id(2))).isEmpty();
    }

    @Test
    void a_diamond_closes_no_loop() {
        align(1, 2);
        align(1, 3);
        align(2, 4);
        assertThat(above(3).loop(id(3), id(4))).isEmpty();
    }

    @Test
    void a_loop_through_one_of_many_parents_is_found() {
        for (int i = 10; i < 100; i++) {
            align(i, 5);
        }
        align(1, 42);
        assertThat(above(5).loop(id(5), id(1))).containsExactly(id(1), id(42), id(5), id(1));
    }

    @Test
    void the_depth_is_the_length_of_the_longest_chain() {
        align(1, 2);
        align(2, 3);
        align(1, 3);
        assertThat(above(3).depth()).isEqualTo(2);
        assertThat(above(1).depth()).isZero();
    }

    @Test
    void an_existing_loop_does_not_cause_an_endless_search() {
        align(1, 2);
        align(2, 1);
        assertThat(above(1).loop(id(1), id(3))).isEmpty();
    }

    /** Like the statement of {@link Alignment}. */
    private AlignmentGraph above(int objective) {
        var above = new LinkedHashSet<AlignmentGraph.Edge>();
        var generation = Set.of(id(objective));
        for (int distance = 1; distance <= 50; distance++) {
            var next = new HashSet<UUID>();
            for (var edge : edges) {
                if (generation.contains(edge.child())) {
                    above.add(new AlignmentGraph.Edge(edge.parent(), edge.child(), distance));
                    next.add(edge.parent());
                }
            }
            generation = next;
        }
        return new AlignmentGraph(List.copyOf(above));
    }

    private void align(int parent, int child) {
        edges.add(new AlignmentGraph.Edge(id(parent), id(child), 1));
    }

    private static UUID id(int number) {
        return new UUID(0, number);
    }
}
