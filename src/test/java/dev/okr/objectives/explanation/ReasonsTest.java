package dev.okr.objectives.explanation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.objectives.ObjectiveStatus;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ReasonsTest {
    private static final Instant START = Instant.parse("2027-01-01T00:00:00Z");
    private static final Instant END = Instant.parse("2027-04-01T00:00:00Z");

    @Test
    void an_objective_without_contributions_says_so() {
        assertThat(reasons(0))
                .containsExactly(
                        "The objective has no key results and no contributing objectives, so its progress is 0 %.");
        assertThat(reasons(1)).contains("One objective only supports this one, so its progress does not count.");
        assertThat(reasons(3)).contains("3 objectives only support this one, so their progress does not count.");
    }

    @Test
    void key_results_without_check_ins_are_counted() {
        assertThat(reasons(0, keyResult("A", 1, 0, null))).containsExactly("The key result has no check-in yet.");
        assertThat(reasons(0, keyResult("A", 1, 0, null), keyResult("B", 1, 0, null)))
                .containsExactly("None of the 2 key results has a check-in yet.");
        assertThat(reasons(0, keyResult("A", 1, 5, START), keyResult("B", 1, 0, null)))
                .containsExactly("1 of 2 key results has no check-in yet.");
        assertThat(reasons(0, keyResult("A", 1, 5, START))).isEmpty();
    }

    @Test
    void weights_of_0_are_named() {
        assertThat(reasons(0, keyResult("A", 0, 5, START), keyResult("B", 0, 5, START)))
                .containsExactly("All weights are 0, so nothing counts and the progress is 0 %.");
        assertThat(reasons(0, keyResult("A", 0, 5, START), keyResult("B", 2, 5, START)))
                .containsExactly("“A” has the weight 0, so it does not count.");
    }

    @Test
    void a_value_that_moves_away_from_its_target_is_named() {
        assertThat(reasons(0, keyResult("A", 1, -3, START)))
                .containsExactly(
                        "“A” moves away from its target. It started at 0, its target is 10, and its value is -3.");
        var many = Collections.nCopies(5, keyResult("A", 1, -3, START)).toArray(Contribution[]::new);
        assertThat(reasons(0, many)).hasSize(4).last().isEqualTo("2 more move away from their targets.");
    }

    @Test
    void children_without_progress_are_counted() {
        assertThat(reasons(0, child("0"))).containsExactly("The contributing objective has no progress yet.");
        assertThat(reasons(0, child("0"), child("0.5")))
                .containsExactly("1 of 2 contributing objectives has no progress yet.");
    }

    @Test
    void what_is_complete_or_closed_says_so() {
        assertThat(reasons(0, child("1"))).containsExactly("Everything that counts has reached its target.");
        var closed = new ProgressExplanation.Subject(new BigDecimal("0.5"), true, START, END, 0);
        assertThat(Reasons.of(closed, List.of(child("0.5"))))
                .containsExactly("The cycle is closed, so the progress no longer changes.");
        assertThat(Reasons.of(closed, List.of(child("1"))))
                .containsExactly(
                        "The cycle is closed, so the progress no longer changes.",
                        "Contributing objectives of other cycles have changed since then, "
                                + "so the points do not add up to the final progress.");
    }

    @ParameterizedTest
    @CsvSource({
        "1, 0.5, COMPLETED",
        "0, 0.0999, NOT_STARTED",
        "0, 0.1, ON_TRACK",
        "0, 0.1001, AT_RISK",
        "0.4, 0.5, ON_TRACK",
        "0.9, 0.1, ON_TRACK",
        "0.4, 0.65, AT_RISK",
        "0.4, 0.6501, BEHIND",
        "0, 1, BEHIND"
    })
    void the_suggested_status_follows_the_gap(BigDecimal progress, BigDecimal expected, ObjectiveStatus status) {
        assertThat(ProgressExplanation.suggestedStatus(progress, expected)).isEqualTo(status);
    }

    private static List<String> reasons(long supporting, Contribution... contributions) {
        var subject = new ProgressExplanation.Subject(BigDecimal.ZERO, false, START, END, supporting);
        return Reasons.of(subject, List.of(contributions));
    }

    private static Contribution keyResult(String title, int weight, int value, @Nullable Instant checkedInAt) {
        return new Contribution(
                ContributionType.KEY_RESULT,
                "kr",
                title,
                BigDecimal.valueOf(weight),
                BigDecimal.valueOf(Math.max(0, value)).movePointLeft(1),
                BigDecimal.ONE,
                BigDecimal.ONE,
                BigDecimal.ZERO,
                BigDecimal.valueOf(value),
                BigDecimal.TEN,
                checkedInAt);
    }

    private static Contribution child(String progress) {
        return new Contribution(
                ContributionType.OBJECTIVE,
                "obj",
                "Child",
                BigDecimal.ONE,
                new BigDecimal(progress),
                BigDecimal.ONE,
                BigDecimal.ONE,
                null,
                null,
                null,
                null);
    }
}
