package dev.okr.objectives.cycles;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CycleStatusTest {
    private static final Instant START = Instant.parse("2027-01-01T00:00:00Z");
    private static final Instant END = Instant.parse("2027-04-01T00:00:00Z");

    @ParameterizedTest
    @CsvSource({
        "2026-12-31T23:59:59.999999Z, PLANNED",
        "2027-01-01T00:00:00Z, ACTIVE",
        "2027-03-31T23:59:59.999999Z, ACTIVE",
        "2027-04-01T00:00:00Z, COMPLETED",
        "9999-01-01T00:00:00Z, COMPLETED"
    })
    void the_start_belongs_to_a_cycle_and_the_end_does_not(Instant now, CycleStatus status) {
        assertThat(CycleStatus.at(now, START, END)).isEqualTo(status);
    }
}
