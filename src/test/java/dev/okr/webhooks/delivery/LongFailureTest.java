package dev.okr.webhooks.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.testing.Answer;
import dev.okr.testing.Receiver;
import dev.okr.testing.Receiver.Reply;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Rules that take days to apply, tested by advancing the service's clock. */
@QuarkusTest
@Tag("waits")
class LongFailureTest extends DeliveryScenario {
    @Inject
    TestClock clock;

    private Receiver receiver;
    private Answer webhook;

    @BeforeEach
    void subscribe() {
        receiver = receiver(Reply.status(500));
        webhook = subscribe(receiver);
    }

    @AfterEach
    void reset() {
        clock.reset();
    }

    @Test
    void an_endpoint_that_fails_for_five_days_is_deactivated() {
        attempt("failed");
        clock.advance(Duration.ofDays(5).minusMinutes(2));
        attempt("failed");
        assertThat(isActive()).isTrue();
        assertThat(disabledReason()).isEmpty();

        clock.advance(Duration.ofMinutes(4));
        attempt("failed");
        assertThat(isActive()).isFalse();
        assertThat(disabledReason()).isEqualTo("failing");
        int before = receiver.received().size();
        newCycle();
        requireQuiet(receiver);
        assertThat(receiver.received()).hasSize(before);
    }

    @ParameterizedTest
    @ValueSource(strings = {"P6D", "-P6D"})
    void a_replica_whose_clock_is_wrong_does_not_deactivate_a_webhook_early(Duration error) {
        attempt("failed");
        clock.err(error);
        attempt("failed");
        clock.reset();
        attempt("failed");
        assertThat(isActive()).isTrue();
    }

    @Test
    void the_first_failure_at_a_replica_whose_clock_is_behind_does_not_count_as_old() {
        clock.err(Duration.ofDays(-6));
        attempt("failed");
        clock.reset();
        attempt("failed");
        assertThat(isActive()).isTrue();
    }

    @Test
    void a_webhook_without_failures_stays_active() {
        attempt("failed");
        clock.advance(Duration.ofDays(6));
        pause(QUIET);
        assertThat(isActive()).isTrue();
    }

    @Test
    void one_success_restarts_the_five_days() {
        attempt("failed");
        clock.advance(Duration.ofDays(4));
        receiver.answer(Reply.status(200));
        attempt("succeeded");
        receiver.answer(Reply.status(500));
        clock.advance(Duration.ofDays(4));
        attempt("failed");
        assertThat(isActive()).isTrue();
        clock.advance(Duration.ofDays(4));
        attempt("failed");
        assertThat(isActive()).isTrue();
        clock.advance(Duration.ofDays(2));
        attempt("failed");
        assertThat(isActive()).isFalse();
    }

    @Test
    void reactivating_clears_the_reason_and_the_failure_time() {
        attempt("failed");
        clock.advance(Duration.ofDays(5).plusMinutes(1));
        attempt("failed");
        assertThat(disabledReason()).isEqualTo("failing");
        admin.put(path(webhook), Map.of("active", true)).is(200);
        assertThat(disabledReason()).isEmpty();
        attempt("failed");
        assertThat(isActive()).isTrue();
        clock.advance(Duration.ofDays(4));
        attempt("failed");
        assertThat(isActive()).isTrue();
    }

    @Test
    void the_old_secret_stops_signing_a_day_after_a_rotation() {
        receiver.answer(Reply.status(200));
        var old = webhook.text("secret");
        var current = admin.post(path(webhook) + "/rotate-secret", null).text("secret");
        clock.advance(Duration.ofHours(24).minusMinutes(2));
        attempt("succeeded");
        clock.advance(Duration.ofMinutes(4));
        attempt("succeeded");
        var requests = receiver.received();
        assertThat(signatures(0)).isEqualTo(2);
        assertThat(signatures(1)).isEqualTo(1);
        assertThat(requests).hasSize(2);
        assertThat(old).isNotEqualTo(current);
    }

    private int signatures(int request) {
        return receiver.received()
                .get(request)
                .header("webhook-signature")
                .orElseThrow()
                .split(" ")
                .length;
    }

    /** Makes an event and waits until its delivery has this status. */
    private void attempt(String status) {
        int deliveries = admin.get(deliveries(webhook)).is(200).ids().size();
        newCycle();
        awaitDeliveries(webhook, deliveries + 1, status("failed").or(status("succeeded")));
        assertThat(text(admin.get(deliveries(webhook)).data().get(0), "status")).isEqualTo(status);
    }

    private boolean isActive() {
        return admin.get(path(webhook)).is(200).data().get("active").booleanValue();
    }

    private String disabledReason() {
        return admin.get(path(webhook)).is(200).data().path("disabled_reason").asText();
    }
}
