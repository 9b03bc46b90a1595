package dev.okr.objectives.overview;

import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.objectives.progress.Progress;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.Random;
import org.junit.jupiter.api.Test;

class PastKeyResultTest {
    private static final int POINTS = 5;
    private static final Instant START = Instant.parse("2027-01-01T00:00:00Z");

    @Test
    void the_progress_equals_that_of_check_ins() {
        var random = new Random(17);
        for (int i = 0; i < 20_000; i++) {
            var start = decimal(random);
            var target = decimal(random);
            var value = decimal(random);
            if (start.compareTo(target) != 0) {
                var keyResult = new PastKeyResult(millionths(start), 0, millionths(target), 1_000, 0);
                assertThat(BigDecimal.valueOf(keyResult.progress(millionths(value)), 4))
                        .as("%s from %s to %s", value, start, target)
                        .isEqualByComparingTo(Progress.between(start, value, target));
            }
        }
    }

    @Test
    void a_value_counts_from_its_check_in_until_the_next_one() {
        var keyResult = keyResult(8);
        assertThat(sums(keyResult, keyResult.values("{4,2,2}", "{8.000000,5.000000,-3.000000}", null)))
                .containsExactly(0, 0, 5_000, 5_000, 8_000);
        assertThat(sums(keyResult(0), keyResult(0).values(null, null, null))).containsOnly(0);
        assertThat(sums(keyResult(-1), keyResult(-1).values("{0}", "{-1.000000}", null)))
                .containsOnly(0);
    }

    @Test
    void a_set_value_counts_until_the_next_check_in() {
        var keyResult = keyResult(6);
        var values = keyResult.values("{4,2,1}", "{6.000000,9.000000,2.000000}", "{f,t,f}");
        assertThat(sums(keyResult, values)).containsExactly(0, 2_000, 9_000, 9_000, 6_000);
    }

    @Test
    void a_check_in_that_was_recorded_earlier_replaces_a_set_value() {
        var keyResult = keyResult(2);
        var values = keyResult.values("{4,3,1}", "{8.000000,9.000000,2.000000}", "{t,t,f}");
        assertThat(sums(keyResult, values)).containsExactly(0, 2_000, 2_000, 2_000, 2_000);
        assertThat(sums(keyResult, keyResult.values("{3,1}", "{9.000000,8.000000}", "{t,t}")))
                .containsOnly(0);
    }

    @Test
    void a_value_that_the_previous_version_set_counts_from_the_last_change() {
        var keyResult = new PastKeyResult(0, 7_000_000, 10_000_000, 1_000, 3);
        assertThat(sums(keyResult, keyResult.values("{1}", "{2.000000}", null)))
                .containsExactly(0, 2_000, 2_000, 7_000, 7_000);
        assertThat(sums(keyResult, keyResult.values(null, null, null))).containsExactly(0, 0, 0, 7_000, 7_000);
    }

    /** A key result from 0 to 10 with the weight 1. */
    private static PastKeyResult keyResult(long current) {
        return new PastKeyResult(0, current * 1_000_000, 10_000_000, 1_000, POINTS);
    }

    /** The progress at each point, in ten-thousandths. */
    private static long[] sums(PastKeyResult keyResult, PastKeyResult.Values values) {
        var sums = new long[POINTS];
        keyResult.addTo(sums, values);
        for (int i = 0; i < sums.length; i++) {
            sums[i] /= 1_000;
        }
        return sums;
    }

    private static BigDecimal decimal(Random random) {
        int digits = 1 + random.nextInt(17);
        return BigDecimal.valueOf(random.nextLong((long) Math.pow(10, digits)), 6)
                .multiply(BigDecimal.valueOf(random.nextBoolean() ? 1 : -1));
    }

    private static long millionths(BigDecimal value) {
        return value.movePointRight(6).longValueExact();
    }
}
