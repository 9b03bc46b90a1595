package dev.okr.webhooks.delivery;

import static dev.okr.webhooks.delivery.Deliveries.error;
import static dev.okr.webhooks.delivery.Deliveries.status;
import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.webhooks.AttemptOutcome;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class VerdictTest {
    private static final RetrySchedule SCHEDULE =
            new RetrySchedule(List.of(Duration.ofSeconds(5), Duration.ofMinutes(5)), () -> 0.5);

    private static Verdict verdict(int retries, AttemptOutcome outcome) {
        return Verdict.of(outcome, retries, SCHEDULE);
    }

    @ParameterizedTest
    @ValueSource(ints = {200, 201, 202, 204, 299})
    void any_2xx_is_a_success_however_slow(int status) {
        assertThat(verdict(0, status(status))).isEqualTo(new Verdict.Succeeded());
        assertThat(verdict(2, status(status))).isEqualTo(new Verdict.Succeeded());
    }

    @ParameterizedTest
    @ValueSource(ints = {300, 302, 304, 308, 400, 401, 404, 409, 422, 429, 500, 503, 599, 999})
    void any_other_status_is_retried(int status) {
        assertThat(verdict(0, status(status))).isEqualTo(new Verdict.Retry(Duration.ofSeconds(5)));
    }

    @Test
    void retry_after_is_respected() {
        assertThat(verdict(0, status(503, Duration.ofMinutes(7))))
                .isEqualTo(new Verdict.Retry(Duration.ofSeconds(420)));
    }

    @Test
    void a_delivery_is_given_up_after_the_last_delay() {
        assertThat(verdict(2, status(500))).isEqualTo(new Verdict.GivenUp(FailureReason.EXHAUSTED));
        assertThat(verdict(2, error("timeout", Duration.ZERO))).isEqualTo(new Verdict.GivenUp(FailureReason.EXHAUSTED));
        assertThat(verdict(2, status(503, Duration.ofSeconds(1))))
                .isEqualTo(new Verdict.GivenUp(FailureReason.EXHAUSTED));
    }

    @Test
    void a_delivery_is_given_up_after_a_410() {
        assertThat(verdict(0, status(410))).isEqualTo(new Verdict.GivenUp(FailureReason.GONE));
        assertThat(verdict(2, status(410))).isEqualTo(new Verdict.GivenUp(FailureReason.GONE));
    }
}
