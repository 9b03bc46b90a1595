package dev.okr.webhooks.delivery;

import static dev.okr.testing.Json.object;
import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.testing.Receiver.Received;
import dev.okr.testing.Receiver.Reply;
import io.quarkus.test.junit.QuarkusTest;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Logger;
import org.jboss.logmanager.ExtHandler;
import org.jboss.logmanager.ExtLogRecord;
import org.jboss.logmanager.Level;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Retries of failed deliveries. The retry schedule of the tests has three retries within two seconds. */
@QuarkusTest
@Tag("waits")
class RetryTest extends DeliveryScenario {
    private static final int ATTEMPTS = 4;
    private static final int MAX_RESPONSE_CHARACTERS = 1_024;

    @Test
    void a_retry_sends_the_same_message_with_a_new_signature() {
        var receiver = receiver(Reply.status(500).header("Retry-After", "1"), Reply.status(200));
        var webhook = subscribe(receiver);
        newCycle();
        var requests = receiver.await(2);
        requireQuiet(receiver);

        var first = requests.getFirst();
        var second = requests.getLast();
        assertThat(messageId(second)).isEqualTo(messageId(first));
        assertThat(second.text()).isEqualTo(first.text());
        assertThat(timestamp(second)).isGreaterThan(timestamp(first));
        assertThat(second.header("webhook-signature")).isNotEqualTo(first.header("webhook-signature"));
        assertThat(requests)
                .allSatisfy(request -> assertThat(Library.accepts(webhook.text("secret"), request))
                        .isTrue());
    }

    @Test
    void a_webhook_that_fails_again_and_again_has_one_warning_in_the_log() {
        var records = new CopyOnWriteArrayList<ExtLogRecord>();
        var handler = new ExtHandler() {
            @Override
            protected void doPublish(ExtLogRecord record) {
                records.add(record);
            }
        };
        var log = Logger.getLogger(Recorder.class.getName());
        log.setLevel(Level.DEBUG);
        log.addHandler(handler);
        try {
            var webhook = subscribe(receiver(Reply.status(500)));
            newCycle();
            awaitDelivery(webhook, status("failed"));
            assertThat(records)
                    .filteredOn(each -> each.getFormattedMessage().contains(webhook.id()))
                    .extracting(ExtLogRecord::getLevel)
                    .containsExactly(Level.WARN, Level.DEBUG, Level.DEBUG, Level.DEBUG);
        } finally {
            log.removeHandler(handler);
            log.setLevel(null);
        }
    }

    @Test
    void a_success_ends_the_retries_and_all_attempts_are_readable() {
        var receiver = receiver(
                Reply.status(503).body("busy"), Reply.close(), Reply.status(201).body("thanks"));
        var webhook = subscribe(receiver);
        newCycle();
        var delivery = awaitDelivery(webhook, status("succeeded"));
        requireQuiet(receiver);

        assertThat(receiver.received()).hasSize(3);
        assertThat(delivery.get("attempts_count").intValue()).isEqualTo(3);
        assertThat(delivery.has("next_attempt_at")).isFalse();
        assertThat(delivery.has("failure_reason")).isFalse();
        var attempts = attempts(webhook, delivery);
        assertThat(attempts).hasSize(3);
        assertThat(attempts.get(0).get("status_code").intValue()).isEqualTo(503);
        assertThat(text(attempts.get(0), "response")).isEqualTo("busy");
        assertThat(attempts.get(0).has("error")).isFalse();
        assertThat(text(attempts.get(1), "error")).isEqualTo("connection_closed");
        assertThat(attempts.get(1).has("status_code")).isFalse();
        assertThat(attempts.get(1).has("response")).isFalse();
        assertThat(attempts.get(2).get("status_code").intValue()).isEqualTo(201);
        assertThat(text(attempts.get(2), "response")).isEqualTo("thanks");
        assertThat(detail(webhook, delivery).data().get("event").toString())
                .isEqualTo(receiver.received().getFirst().text());
    }

    @Test
    void a_delivery_whose_every_attempt_fails_is_given_up() {
        var receiver = receiver(Reply.status(500).body("Ü".repeat(2_000)));
        var webhook = subscribe(receiver);
        newCycle();
        var delivery = awaitDelivery(webhook, failed("exhausted"));
        requireQuiet(receiver);

        assertThat(receiver.received()).hasSize(ATTEMPTS);
        assertThat(delivery.get("attempts_count").intValue()).isEqualTo(ATTEMPTS);
        assertThat(delivery.has("next_attempt_at")).isFalse();
        assertThat(attempts(webhook, delivery)).hasSize(ATTEMPTS).allSatisfy(attempt -> {
            assertThat(attempt.get("status_code").intValue()).isEqualTo(500);
            assertThat(text(attempt, "response")).isEqualTo("Ü".repeat(MAX_RESPONSE_CHARACTERS / 2));
            assertThat(attempt.get("duration_ms").intValue()).isNotNegative();
        });
        assertThat(admin.get(path(webhook)).data().get("active").booleanValue()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(ints = {301, 302, 303, 307, 308})
    void a_redirect_is_a_failure_and_is_not_followed(int status) {
        var elsewhere = receiver();
        var receiver = receiver(Reply.status(status).header("Location", elsewhere.url("/")));
        var webhook = subscribe(receiver);
        newCycle();
        var delivery = awaitDelivery(webhook, failed("exhausted"));
        assertThat(attempts(webhook, delivery))
                .extracting(attempt -> attempt.get("status_code").intValue())
                .containsOnly(status);
        assertThat(elsewhere.connections()).isZero();
    }

    @Test
    void a_timeout_is_a_failed_attempt() {
        var receiver = receiver(Reply.hang(), Reply.status(200));
        var webhook = subscribe(receiver);
        newCycle();
        var delivery = awaitDelivery(webhook, status("succeeded"));
        var hung = attempts(webhook, delivery).getFirst();
        assertThat(text(hung, "error")).isEqualTo("timeout");
        assertThat(hung.get("duration_ms").intValue()).isBetween(2_900, 5_000);
    }

    @Test
    void a_refused_connection_is_a_failed_attempt() {
        var receiver = receiver();
        var webhook = subscribe(receiver);
        receiver.close();
        newCycle();
        var delivery = awaitDelivery(webhook, failed("exhausted"));
        assertThat(attempts(webhook, delivery))
                .extracting(attempt -> text(attempt, "error"))
                .containsOnly("connection_refused");
    }

    @Test
    void retry_after_postpones_the_next_attempt() {
        var receiver = receiver(Reply.status(429).header("Retry-After", "3"), Reply.status(200));
        subscribe(receiver);
        newCycle();
        var requests = receiver.await(2);
        assertThat(Duration.between(requests.getFirst().at(), requests.getLast().at()))
                .isBetween(Duration.ofSeconds(3), Duration.ofSeconds(6));
    }

    @Test
    void a_waiting_delivery_shows_its_next_attempt() {
        var receiver = receiver(RETRY_LATER);
        var webhook = subscribe(receiver);
        newCycle();
        var delivery = awaitDelivery(webhook, waiting(1));
        assertThat(Instant.parse(text(delivery, "next_attempt_at")))
                .isBetween(Instant.now().plusSeconds(3_500), Instant.now().plusSeconds(3_700));
        requireQuiet(receiver);
    }

    @Test
    void a_retry_uses_the_current_url() {
        var old = receiver(Reply.status(500).header("Retry-After", "2"));
        var webhook = subscribe(old);
        newCycle();
        awaitDelivery(webhook, waiting(1));
        var changed = receiver();
        admin.put(path(webhook), Map.of("url", changed.url("/new"))).is(200);
        var request = changed.await(1).getFirst();
        assertThat(request.target()).isEqualTo("/new");
        assertThat(messageId(request)).isEqualTo(messageId(old.onlyRequest()));
        awaitDelivery(webhook, status("succeeded"));
    }

    @Test
    void a_retry_is_signed_with_the_current_secret() {
        var receiver = receiver(Reply.status(500).header("Retry-After", "2"), Reply.status(200));
        var webhook = subscribe(receiver);
        newCycle();
        receiver.await(1);
        var secret = admin.post(path(webhook) + "/rotate-secret", null).text("secret");
        var request = receiver.await(2).getLast();
        assertThat(Library.accepts(secret, request)).isTrue();
        assertThat(Library.accepts(webhook.text("secret"), request)).isTrue();
    }

    @Test
    void a_binary_response_is_recorded_with_replacement_characters() {
        var bytes = new byte[] {'a', 0, (byte) 0xff, 27, 'b', (byte) 0xc3};
        var receiver = receiver(Reply.status(200).body(bytes));
        var webhook = subscribe(receiver);
        newCycle();
        var delivery = awaitDelivery(webhook, status("succeeded"));
        assertThat(text(attempts(webhook, delivery).getFirst(), "response"))
                .startsWith("a")
                .contains("b");
    }

    @Test
    void an_event_that_one_webhook_rejects_reaches_another_at_once() {
        var failing = receiver(Reply.status(500));
        var webhook = subscribe(failing);
        var healthy = receiver();
        var other = subscribe(healthy);
        makeEvents(3);
        healthy.await(3);
        awaitDeliveries(webhook, 3, failed("exhausted"));
        awaitDeliveries(other, 3, status("succeeded"));
        assertThat(failing.received()).hasSize(3 * ATTEMPTS);
        assertThat(healthy.received()).hasSize(3);
    }

    @Test
    void a_url_with_a_path_and_query_is_called_unchanged() {
        var receiver = receiver();
        admin.post(WEBHOOKS, object("url", receiver.url("/a/b%20c?key=v%2Fw&x"), "events", List.of("*")))
                .is(201);
        newCycle();
        assertThat(receiver.await(1).getFirst().target()).isEqualTo("/a/b%20c?key=v%2Fw&x");
    }

    private static long timestamp(Received request) {
        return Long.parseLong(request.header("webhook-timestamp").orElseThrow());
    }
}
