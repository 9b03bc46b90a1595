package dev.okr.webhooks.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.platform.time.UtcClock;
import dev.okr.webhooks.SenderSettings;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class AttemptsTest {
    @Test
    void an_error_ends_only_its_attempt() {
        var started = new AtomicInteger();
        var clock = new UtcClock() {
            @Override
            public Instant now() {
                started.incrementAndGet();
                throw new LinkageError("expected");
            }
        };
        var sender = new SenderSettings(Duration.ofSeconds(1), 8, Optional.empty(), Optional.empty(), "okr", "1");
        var onePerEndpoint = new DeliverySettings(sender, List.of(Duration.ofSeconds(5)), 1, true, Duration.ofDays(1));
        var attempts = new Attempts(null, null, null, clock, null, null, null, new WakeUp(), onePerEndpoint);
        var webhook = UUID.randomUUID();
        var now = MonotonicClock.now();
        attempts.start(List.of(Deliveries.claimed(webhook, now, 0), Deliveries.claimed(webhook, now, 0)));
        DeliveryScenario.await(() -> attempts.slots().inFlight().isEmpty(), () -> "the end of both attempts");
        assertThat(started).hasValue(2);
    }
}
