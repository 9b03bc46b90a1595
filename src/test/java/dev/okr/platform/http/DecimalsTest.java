package dev.okr.platform.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DecimalsTest {

    @ParameterizedTest
    @CsvSource({
        "0, 0",
        "-0, 0",
        "-0.000, 0",
        "0e999999999999, 0",
        "0.0e-999999999999, 0",
        "7, 7",
        "-7, -7",
        "30.0, 30",
        "3e1, 30",
        "3E+1, 30",
        "300e-1, 30",
        "0.000001, 0.000001",
        "1e-6, 0.000001",
        "0.1e-5, 0.000001",
        "1000000000000e-6, 1000000",
        "99999999999.999999, 99999999999.999999",
        "-99999999999999999e-6, -99999999999.999999",
        "0.000000000000099e12, 0.099",
        "1.2300000000000000000000000000, 1.23",
        "1e00000000000000000000001, 10"
    })
    void a_number_within_bounds_is_exact(String lexeme, BigDecimal value) {
        assertThat(Decimals.parse(lexeme))
                .isInstanceOfSatisfying(
                        Decimals.Result.Value.class,
                        result -> assertThat(result.value()).isEqualByComparingTo(value));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "100000000000",
                "-100000000000",
                "99999999999.9999999e1",
                "1e11",
                "1e999999999",
                "1e99999999999999999999999999",
                "0.0001e15",
                "1234567890123456789012345",
                "100000000000.0000001"
            })
    void a_number_outside_the_bounds_is_out_of_range(String lexeme) {
        assertThat(Decimals.parse(lexeme)).isInstanceOf(Decimals.Result.OutOfRange.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "0.0000001",
                "1e-7",
                "-1e-7",
                "1.0000001",
                "12e-8",
                "1e-999999999",
                "1e-99999999999999999999",
                "99999999999.9999991"
            })
    void more_than_6_decimals_are_too_many(String lexeme) {
        assertThat(Decimals.parse(lexeme)).isInstanceOf(Decimals.Result.TooManyDecimals.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "-", "+1", ".5", "5.", "NaN", "0x1", "１"})
    void text_that_is_not_a_json_number_is_an_illegal_argument(String lexeme) {
        assertThatThrownBy(() -> Decimals.parse(lexeme)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void the_bounds_agree_with_big_decimal() {
        var random = new Random(1);
        for (int i = 0; i < 20_000; i++) {
            var digits = new BigDecimal(new BigInteger(random.nextInt(1, 80), random), random.nextInt(-12, 20))
                    .multiply(random.nextBoolean() ? BigDecimal.ONE : BigDecimal.TEN);
            var lexeme = random.nextBoolean() ? digits.toPlainString() : digits.toString();
            var value = digits.stripTrailingZeros();
            boolean inRange = digits.abs().compareTo(new BigDecimal("1e11")) < 0;
            boolean fewDecimals = value.scale() <= 6;
            switch (Decimals.parse(lexeme)) {
                case Decimals.Result.Value(var parsed) -> {
                    assertThat(inRange && fewDecimals).as(lexeme).isTrue();
                    assertThat(parsed).as(lexeme).isEqualByComparingTo(digits);
                }
                case Decimals.Result.OutOfRange out ->
                    assertThat(inRange).as(lexeme).isFalse();
                case Decimals.Result.TooManyDecimals many ->
                    assertThat(fewDecimals).as(lexeme).isFalse();
            }
        }
    }

    @Test
    @Timeout(5)
    void huge_numbers_are_fast() {
        var started = System.nanoTime();
        Decimals.parse("1" + "0".repeat(1_000_000));
        Decimals.parse("0." + "0".repeat(1_000_000) + '1');
        Decimals.parse("1e" + "9".repeat(1_000_000));
        Decimals.parse("1e" + "0".repeat(1_000_000) + '1');
        Decimals.parse("-" + "9".repeat(1_000_000) + "e-999999");
        assertThat(Duration.ofNanos(System.nanoTime() - started)).isLessThan(Duration.ofSeconds(2));
    }
}
