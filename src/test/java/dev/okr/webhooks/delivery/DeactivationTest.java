package dev.okr.webhooks.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.platform.ids.UuidV7;
import dev.okr.testing.Answer;
import dev.okr.testing.Receiver.Reply;
import dev.okr.testing.TestDatabase;
import io.quarkus.test.junit.QuarkusTest;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The effects of deactivating or deleting a webhook. */
@QuarkusTest
@Tag("waits")
class DeactivationTest extends DeliveryScenario {
    private static final Duration A_MOMENT = Duration.ofSeconds(2);

    /** The delay of a retry. It is long enough that a test on a busy machine sees the delivery wait. */
    private static final Duration RETRY_AFTER = Duration.ofSeconds(6);

    private static Reply soon() {
        return Reply.status(503).header("Retry-After", String.valueOf(RETRY_AFTER.toSeconds()));
    }

    private void setActive(Answer webhook, boolean active) {
        admin.put(path(webhook), Map.of("active", active)).is(200);
    }

    @Test
    void a_410_deactivates_the_webhook_at_once() {
        var receiver = receiver(RETRY_LATER, RETRY_LATER, Reply.status(410));
        var webhook = subscribe(receiver);
        makeEvents(2);
        awaitDeliveries(webhook, 2, waiting(1));
        newCycle();
        var all = awaitDeliveries(webhook, 3, status("failed"));
        assertThat(all).filteredOn(failed("gone")).hasSize(1);
        assertThat(all).filteredOn(failed("deactivated")).hasSize(2);
        var now = admin.get(path(webhook)).is(200);
        assertThat(now.data().get("active").booleanValue()).isFalse();
        assertThat(now.text("disabled_reason")).isEqualTo("gone");

        newCycle();
        requireQuiet(receiver);
        assertThat(receiver.received()).hasSize(3);
        assertThat(admin.get(deliveries(webhook)).is(200).ids()).hasSize(3);
    }

    @Test
    void a_webhook_can_be_reactivated_after_a_410() {
        var receiver = receiver(Reply.status(410), Reply.status(200));
        var webhook = subscribe(receiver);
        newCycle();
        awaitDelivery(webhook, failed("gone"));
        setActive(webhook, true);
        assertThat(admin.get(path(webhook)).data().has("disabled_reason")).isFalse();
        newCycle();
        receiver.await(2);
        requireQuiet(receiver);
        assertThat(messageIds(receiver).getLast()).isEqualTo(eventIds().getFirst());
    }

    @Test
    void deactivating_cancels_pending_deliveries() {
        var receiver = receiver(soon());
        var webhook = subscribe(receiver);
        makeEvents(3);
        awaitDeliveries(webhook, 3, waiting(1));
        setActive(webhook, false);
        newCycle();
        var all = awaitDeliveries(webhook, 3, failed("deactivated"));
        assertThat(all)
                .allSatisfy(
                        delivery -> assertThat(delivery.has("next_attempt_at")).isFalse());
        pause(RETRY_AFTER);
        assertThat(receiver.received()).hasSize(3);
        assertThat(admin.get(path(webhook)).data().has("disabled_reason")).isFalse();
    }

    @Test
    void reactivating_delivers_only_new_events() {
        var receiver = receiver(soon(), Reply.status(200));
        var webhook = subscribe(receiver);
        newCycle();
        awaitDelivery(webhook, waiting(1));
        setActive(webhook, false);
        newCycle();
        awaitFanOut();
        setActive(webhook, true);
        newCycle();
        receiver.await(2);
        pause(RETRY_AFTER);
        assertThat(messageIds(receiver))
                .containsExactly(eventIds().get(2), eventIds().get(0));
        var all = awaitDeliveries(webhook, 2, delivery -> !status("pending").test(delivery));
        require(all.getFirst(), status("succeeded"));
        require(all.getLast(), failed("deactivated"));
    }

    @Test
    void deliveries_requested_after_the_reactivation_are_not_cancelled() {
        int events = 20;
        var receiver = receiver(Reply.status(500));
        var webhook = subscribe(receiver);
        makeEvents(events);
        var all = awaitDeliveries(webhook, events, failed("exhausted"));
        // Slow enough that some deliveries still wait when older ones are cancelled.
        receiver.answer(Reply.status(200).after(Duration.ofMillis(1_500)));
        setActive(webhook, false);
        setActive(webhook, true);
        for (var delivery : all) {
            admin.post(delivery(webhook, text(delivery, "id")) + "/redeliver", null)
                    .is(202);
        }
        awaitDeliveries(webhook, events, status("succeeded"));
    }

    @Test
    void an_attempt_in_flight_at_the_deactivation_counts_and_is_the_last() {
        for (var status : new int[] {200, 500}) {
            var receiver = receiver(Reply.status(status).after(Duration.ofSeconds(2)));
            var webhook = subscribe(receiver);
            newCycle();
            receiver.await(1);
            setActive(webhook, false);
            var delivery = awaitDelivery(webhook, each -> !status("pending").test(each));
            require(delivery, status == 200 ? status("succeeded") : failed("deactivated"));
            assertThat(attempts(webhook, delivery)).hasSize(1);
            requireQuiet(receiver);
        }
    }

    @Test
    void deleting_stops_deliveries_and_erases_the_secrets_at_once() {
        var receiver = receiver(soon());
        var webhook = subscribe(receiver);
        admin.post(path(webhook) + "/rotate-secret", null).is(200);
        makeEvents(2);
        awaitDeliveries(webhook, 2, waiting(1));
        admin.delete(path(webhook)).is(200);

        assertThat(TestDatabase.count(
                        "SELECT count(*) FROM webhook WHERE id = ? AND octet_length(secret_ciphertext) = 0"
                                + " AND previous_secret_ciphertext IS NULL",
                        uuid(webhook)))
                .isEqualTo(1);
        admin.get(deliveries(webhook)).isNotFound();
        newCycle();
        pause(RETRY_AFTER);
        assertThat(receiver.received()).hasSize(2);
    }

    @Test
    void deleting_stops_a_hundred_queued_events_at_once() {
        var receiver = receiver(Reply.status(200).after(Duration.ofMillis(200)));
        var webhook = subscribe(receiver);
        makeEvents(60);
        receiver.await(8);
        admin.delete(path(webhook)).is(200);
        pause(A_MOMENT);
        requireQuiet(receiver);
    }

    @Test
    void the_rows_of_a_deleted_webhook_are_purged() {
        var receiver = receiver(RETRY_LATER, Reply.status(200));
        var webhook = subscribe(receiver);
        makeEvents(4);
        receiver.await(4);
        pause(QUIET);
        admin.delete(path(webhook)).is(200);
        requirePurged(webhook);
    }

    @Test
    void a_webhook_that_is_deleted_during_a_recovery_is_purged() {
        var webhook = subscribe(receiver());
        newCycle();
        awaitDelivery(webhook, status("succeeded"));
        // Simulates a recovery that another replica has not finished.
        TestDatabase.execute(
                "UPDATE webhook SET recovery_after = ?, recovery_until = ? WHERE id = ?",
                UuidV7.least(Instant.now().minusSeconds(60)),
                UuidV7.least(Instant.now()),
                uuid(webhook));
        admin.delete(path(webhook)).is(200);
        requirePurged(webhook);
    }

    @Test
    void deactivating_ends_a_recovery() {
        var receiver = receiver(Reply.status(500));
        var webhook = subscribe(receiver);
        newCycle();
        awaitDelivery(webhook, failed("exhausted"));
        admin.post(path(webhook) + "/recover", Map.of("since", "2000-01-01T00:00:00Z"))
                .is(202);
        setActive(webhook, false);
        awaitDelivery(webhook, status("failed"));
        int before = receiver.received().size();
        setActive(webhook, true);
        pause(A_MOMENT);
        assertThat(receiver.received().size()).isEqualTo(before);
        assertThat(TestDatabase.count(
                        "SELECT count(*) FROM webhook WHERE id = ? AND recovery_after IS NULL", uuid(webhook)))
                .isEqualTo(1);
    }

    private void requirePurged(Answer webhook) {
        var ids = uuid(webhook);
        TestDatabase.execute(
                "UPDATE webhook SET deleted_at = " + TestDatabase.shifted("deleted_at", "- interval '61 seconds'")
                        + " WHERE id = ?",
                ids);
        await(
                () -> TestDatabase.count("SELECT count(*) FROM webhook WHERE id = ?", ids) == 0,
                () -> "the end of the webhook");
        requireNone("SELECT count(*) FROM delivery WHERE webhook_id = ?", ids);
        requireNone("SELECT count(*) FROM delivery_attempt WHERE organization_id = ?", acme.id());
        assertThat(eventIds()).isNotEmpty();
    }

    private static void requireNone(String query, UUID id) {
        assertThat(TestDatabase.count(query, id)).as(query).isZero();
    }
}
