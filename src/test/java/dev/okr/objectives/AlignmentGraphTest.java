package dev.okr.objectives;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class AlignmentGraphTest {
    private final List<AlignmentGraph.Edge> edges = new ArrayList<>();
    private final AtomicInteger questions = new AtomicInteger();
    private final AlignmentGraph graph = new AlignmentGraph(this::edgesTo);

    @Test
    void without_alignments_there_is_no_loop() {
        assertThat(graph.loop(id(1), id(2))).isEmpty();
    }

    @Test
    void the_opposite_alignment_closes_a_loop_of_two() {
        align(1, 2);
        assertThat(graph.loop(id(2), id(1))).containsExactly(id(1), id(2), id(1));
    }

    @Test
    void a_loop_starts_and_ends_with_the_child() {
        align(1, 2);
        align(2, 3);
        align(3, 4);
        assertThat(graph.loop(id(4), id(1))).containsExactly(id(1), id(2), id(3), id(4), id(1));
        assertThat(graph.loop(id(3), id(2))).containsExactly(id(2), id(3), id(2));
    }

    @Test
    void the_ancestors_of_an_objective_are_all_above_it() {
        align(1, 2);
        align(2, 3);
        align(5, 3);
        align(3, 4);
        assertThat(graph.ancestors(id(3))).containsExactlyInAnyOrder(id(1), id(2), id(5));
        assertThat(graph.ancestors(id(1))).isEmpty();
    }

    @Test
    void a_second_path_in_the_same_direction_closes_no_loop() {
        align(1, 2);
        align(2, 3);
        assertThat(graph.loop(id(1), id(3))).isEmpty();
        assertThat(graph.loop(id(1), id(2))).isEmpty();
    }

    @Test
    void a_diamond_closes_no_loop() {
        align(1, 2);
        align(1, 3);
        align(2, 4);
        assertThat(graph.loop(id(3), id(4))).isEmpty();
    }

    @Test
    void a_loop_through_one_of_many_parents_is_found() {
        for (int i = 10; i < 100; i++) {
            align(i, 5);
        }
        align(1, 42);
        assertThat(graph.loop(id(5), id(1))).containsExactly(id(1), id(42), id(5), id(1));
    }

    @Test
    void each_generation_is_read_once() {
        // A ladder with 51 generations and 2^50 paths.
        for (int i = 0; i < 50; i++) {
            align(2 * i + 2, 2 * i);
            align(2 * i + 3, 2 * i);
            align(2 * i + 2, 2 * i + 1);
            align(2 * i + 3, 2 * i + 1);
        }
        assertThat(graph.loop(id(0), id(1_000))).isEmpty();
        assertThat(questions.get()).isLessThanOrEqualTo(52);
    }

    @Test
    void an_existing_loop_does_not_cause_an_endless_search() {
        align(1, 2);
        align(2, 1);
        assertThat(graph.loop(id(1), id(3))).isEmpty();
    }

    private List<AlignmentGraph.Edge> edgesTo(Collection<UUID> children) {
        questions.incrementAndGet();
        return edges.stream().filter(edge -> children.contains(edge.child())).toList();
    }

    private void align(int parent, int child) {
        edges.add(new AlignmentGraph.Edge(id(parent), id(child)));
    }

    private static UUID id(int number) {
        return new UUID(0, number);
    }
}
