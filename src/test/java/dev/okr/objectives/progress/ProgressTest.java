package dev.okr.objectives.progress;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ProgressTest {

    @ParameterizedTest
    @CsvSource({
        "0, 5, 10, 0.5",
        "10, 5, 0, 0.5",
        "-10, 0, 10, 0.5",
        "-5, -10, -15, 0.5",
        "0, 0, 10, 0",
        "0, 10, 10, 1",
        "0, 11, 10, 1",
        "0, -1, 10, 0",
        "10, 11, 0, 0",
        "10, -1, 0, 1",
        "0, 1, 3, 0.3333",
        "0, 2, 3, 0.6667",
        "0, 0.00005, 1, 0.0001",
        "0, 0.000049, 1, 0",
        "0, 0.99995, 1, 1",
        "0, 0.999949, 1, 0.9999",
        "1, 0.99995, 0, 0.0001",
        "-99999999999.999999, 99999999999.999998, 99999999999.999999, 1",
        "0, 0.000001, 99999999999.999999, 0"
    })
    void progress_is_the_fraction_between_start_and_target_rounded_half_up(
            BigDecimal start, BigDecimal current, BigDecimal target, BigDecimal progress) {
        assertThat(Progress.between(start, current, target)).isEqualByComparingTo(progress);
        assertThat(Progress.between(start.negate(), current.negate(), target.negate()))
                .isEqualByComparingTo(progress);
    }

    @ParameterizedTest
    @CsvSource({
        "1, 2, 0.5",
        "1, 3, 0.3333",
        "2, 3, 0.6667",
        "0.3333, 2, 0.1667",
        "0.0001, 2, 0.0001",
        "0.0001, 3, 0",
        "3, 3, 1"
    })
    void a_mean_is_rounded_half_up(BigDecimal sum, long count, BigDecimal mean) {
        assertThat(Progress.mean(sum, count)).isEqualByComparingTo(mean);
    }

    @Test
    void the_mean_of_none_is_0() {
        assertThat(Progress.mean(BigDecimal.ZERO, 0)).isEqualByComparingTo("0");
    }
}
