package dev.okr.objectives;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.okr.objectives.Ancestors.Edge;
import dev.okr.platform.errors.Failure;
import java.math.BigDecimal;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class NewAlignmentsTest {
    private static final int STORED = 20_000;

    private final NewAlignments alignments = new NewAlignments(
            IntStream.range(0, STORED).mapToObj(n -> new Edge(id(n), id(n + 1))).toList(), List.of(), false);

    @Test
    void many_refused_alignments_take_bounded_work() {
        var loops = IntStream.range(1, 10_001).mapToObj(NewAlignmentsTest::loop).toList();
        assertThatThrownBy(() -> alignments.addPossible(loops))
                .isInstanceOf(Failure.class)
                .hasMessageEndingWith("Too many of the alignments close loops or exceed limits.");
        assertThat(alignments.visits()).isLessThan(NewAlignments.MAX_VISITS + 1_000_000L);
    }

    private static CreateAlignment loop(int number) {
        return new CreateAlignment(id(number), id(0), AlignmentType.SUPPORTS, BigDecimal.ONE);
    }

    private static UUID id(int number) {
        return new UUID(0, number);
    }
}
