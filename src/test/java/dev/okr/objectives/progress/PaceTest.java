package dev.okr.objectives.progress;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PaceTest {
    private static final Instant START = Instant.parse("2027-01-01T00:00:00Z");
    private static final Instant END = Instant.parse("2027-04-01T00:00:00Z");

    @ParameterizedTest
    @CsvSource({
        "2026-12-31T23:59:59Z, 0",
        "2027-01-01T00:00:00Z, 0",
        "2027-01-10T00:00:00Z, 0.1",
        "2027-02-15T00:00:00Z, 0.5",
        "2027-02-21T06:00:00Z, 0.5694",
        "2027-04-01T00:00:00Z, 1",
        "2028-01-01T00:00:00Z, 1"
    })
    void the_expected_progress_is_the_elapsed_part_of_the_cycle(Instant now, String expected) {
        assertThat(Pace.expected(START, END, now)).isEqualByComparingTo(expected);
    }

    @Test
    void the_longest_and_the_shortest_cycle_have_an_expected_progress() {
        var first = Instant.parse("0001-01-01T00:00:00Z");
        var last = Instant.parse("9999-12-31T23:59:59Z");
        assertThat(Pace.expected(first, last, Instant.parse("5000-07-02T12:00:00Z")))
                .isEqualByComparingTo("0.5");
        assertThat(Pace.expected(START, START.plusNanos(1_000), START)).isZero();
        assertThat(Pace.expected(START, START.plusNanos(2_000), START.plusNanos(1_000)))
                .isEqualByComparingTo("0.5");
    }
}
