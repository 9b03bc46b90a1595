package dev.okr.console;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.util.Map;
import org.junit.jupiter.api.Test;

class NumbersTest {
    @Test
    void numbers_are_read_as_people_write_them() {
        Map.of(
                        "12", "12",
                        " 12.50 ", "12.50",
                        ".5", "0.5",
                        "5.", "5",
                        "+3", "3",
                        "−3", "-3",
                        "40 %", "40",
                        "1,250,000.75", "1250000.75",
                        "12 000", "12000",
                        "12\u202f000", "12000")
                .forEach((text, number) -> assertThat(Numbers.parse(text))
                        .as(text)
                        .hasValueSatisfying(parsed -> assertThat(parsed).isEqualByComparingTo(number)));
    }

    @Test
    void other_text_and_ambiguous_commas_are_no_numbers() {
        for (var text : new String[] {
            "", " ", "x", "1,5", "12,50", "1,0000", "1e3", "0x1", "1.2.3", "--1", ".", "-", "%", "NaN", "9".repeat(41)
        }) {
            assertThat(Numbers.parse(text)).as(text).isEmpty();
        }
    }

    @Test
    void thousands_are_grouped_and_zeros_at_the_end_are_left_out() {
        assertThat(Numbers.format(new BigDecimal("1250000.750000"))).isEqualTo("1,250,000.75");
        assertThat(Numbers.format(new BigDecimal("-0.000001"))).isEqualTo("-0.000001");
        assertThat(Numbers.format(new BigDecimal("100.000000"))).isEqualTo("100");
    }
}
