package dev.okr.webhooks.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Test;

class RetryScheduleTest {
    private static final List<Duration> DELAYS =
            List.of(Duration.ofSeconds(5), Duration.ofMinutes(5), Duration.ofHours(24));
    private static final Duration NOTHING = null;

    private static RetrySchedule schedule(double random) {
        return new RetrySchedule(DELAYS, () -> random);
    }

    @Test
    void each_retry_has_its_delay_and_there_is_none_after_the_last() {
        var schedule = schedule(0.5);
        for (int retries = 0; retries < DELAYS.size(); retries++) {
            assertThat(schedule.next(retries, NOTHING)).contains(DELAYS.get(retries));
        }
        assertThat(schedule.next(3, NOTHING)).isEmpty();
        assertThat(schedule.next(4, NOTHING)).isEmpty();
    }

    @Test
    void jitter_is_a_tenth_of_the_delay_in_either_direction() {
        assertThat(schedule(0).next(0, NOTHING)).contains(Duration.ofMillis(4_500));
        assertThat(schedule(1).next(0, NOTHING)).contains(Duration.ofMillis(5_500));
        assertThat(schedule(0.25).next(1, NOTHING)).contains(Duration.ofSeconds(285));
        var schedule =
                new RetrySchedule(DELAYS, () -> ThreadLocalRandom.current().nextDouble());
        for (int i = 0; i < 1_000; i++) {
            assertThat(schedule.next(2, NOTHING).orElseThrow())
                    .isBetween(Duration.ofMinutes(21 * 60 + 36), Duration.ofMinutes(26 * 60 + 24));
        }
    }

    @Test
    void retry_after_is_the_minimum_delay() {
        var schedule = schedule(0.5);
        assertThat(schedule.next(0, Duration.ofSeconds(60))).contains(Duration.ofSeconds(60));
        assertThat(schedule.next(1, Duration.ofSeconds(60))).contains(Duration.ofMinutes(5));
        assertThat(schedule.next(1, Duration.ZERO)).contains(Duration.ofMinutes(5));
    }

    @Test
    void retry_after_does_not_add_retries() {
        assertThat(schedule(0.5).next(3, Duration.ofSeconds(1))).isEmpty();
    }

    @Test
    void an_empty_schedule_means_one_attempt() {
        var schedule = new RetrySchedule(List.of(), () -> 0.5);
        assertThat(schedule.next(0, NOTHING)).isEmpty();
    }
}
