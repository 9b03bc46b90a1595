package dev.okr.webhooks.delivery;

import static dev.okr.webhooks.delivery.Deliveries.NOW;
import static dev.okr.webhooks.delivery.Deliveries.claimed;
import static dev.okr.webhooks.delivery.Deliveries.error;
import static dev.okr.webhooks.delivery.Deliveries.status;
import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.webhooks.AttemptOutcome;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class EndpointHealthTest {
    private static final UUID WEBHOOK = new UUID(0, 7);
    private static final Duration TOOK = Duration.ofMillis(100);

    private static Attempt.Made made(Attempt attempt, Instant startedAt, AttemptOutcome outcome) {
        return Deliveries.made(attempt, startedAt, startedAt.plus(outcome.duration()), outcome);
    }

    private static Attempt.Made attempt(int second, int status) {
        return made(claimed(WEBHOOK), NOW.plusSeconds(second), status(status));
    }

    private static Instant end(int second) {
        return NOW.plusSeconds(second).plus(TOOK);
    }

    private static EndpointHealth health(Attempt.Made... attempts) {
        var all = EndpointHealth.of(List.of(attempts));
        assertThat(all).hasSize(1);
        return all.getFirst();
    }

    @Test
    void consecutive_failures_are_ordered_by_time() {
        var health = health(attempt(3, 500), attempt(1, 404), attempt(2, 302));
        assertThat(health.succeeded()).isFalse();
        assertThat(health.failingSince()).isEqualTo(end(1));
        assertThat(health.gone()).isFalse();
    }

    @Test
    void a_success_resets_earlier_failures() {
        var health = health(attempt(1, 500), attempt(2, 200));
        assertThat(health.succeeded()).isTrue();
        assertThat(health.failingSince()).isNull();
    }

    @Test
    void failures_after_a_success_start_a_new_period() {
        var health = health(attempt(1, 500), attempt(2, 204), attempt(3, 500), attempt(4, 500));
        assertThat(health.succeeded()).isTrue();
        assertThat(health.failingSince()).isEqualTo(end(3));
    }

    @Test
    void attempts_are_ordered_by_their_end() {
        var hanging = made(claimed(WEBHOOK), NOW, error("timeout", Duration.ofSeconds(15)));
        var health = health(hanging, attempt(1, 200));
        assertThat(health.succeeded()).isTrue();
        assertThat(health.failingSince()).isEqualTo(NOW.plusSeconds(15));
    }

    @Test
    void one_410_is_enough_to_be_gone() {
        assertThat(health(attempt(1, 410), attempt(2, 200)).gone()).isTrue();
        assertThat(health(attempt(1, 500), attempt(2, 410)).gone()).isTrue();
    }

    @Test
    void webhooks_are_ordered_by_id() {
        var low = new UUID(1, 1);
        var high = new UUID(2, 1);
        var all = EndpointHealth.of(List.of(
                made(claimed(high), NOW, status(500)),
                made(claimed(low), NOW, status(200)),
                made(claimed(high), NOW.plusSeconds(1), status(500))));
        assertThat(all).extracting(EndpointHealth::webhookId).containsExactly(low, high);
        assertThat(all).extracting(EndpointHealth::succeeded).containsExactly(true, false);
        assertThat(EndpointHealth.of(List.of())).isEmpty();
    }
}
