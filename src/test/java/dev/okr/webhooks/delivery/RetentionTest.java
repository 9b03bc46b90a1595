package dev.okr.webhooks.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.platform.ids.IdKind;
import dev.okr.testing.Receiver.Reply;
import dev.okr.testing.TestDatabase;
import io.quarkus.test.junit.QuarkusTest;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The retention of events and deliveries, and the leases of deliveries. */
@QuarkusTest
@Tag("waits")
class RetentionTest extends DeliveryScenario {
    /** The batch size of the pruner. */
    private static final int BATCH = 500;

    private static final String EVENTS = "SELECT count(*) FROM event WHERE organization_id = ?";
    private static final String DELIVERIES = "SELECT count(*) FROM delivery WHERE organization_id = ?";
    private static final String ATTEMPTS = "SELECT count(*) FROM delivery_attempt WHERE organization_id = ?";

    @Test
    void events_and_finished_deliveries_older_than_thirty_days_are_deleted() {
        var receiver = receiver(RETRY_LATER);
        var webhook = subscribe(receiver);
        newCycle();
        awaitDelivery(webhook, waiting(1));
        insert(webhook, 1_200, 31, "succeeded");
        insert(webhook, 3, 31, "failed");
        insert(webhook, 4, 29, "succeeded");
        insert(webhook, 5, 31, "pending");

        await(
                () -> TestDatabase.count(DELIVERIES, acme.id()) == 10 && TestDatabase.count(EVENTS, acme.id()) == 10,
                () -> TestDatabase.count(DELIVERIES, acme.id()) + " deliveries of "
                        + TestDatabase.count(EVENTS, acme.id()) + " events");
        assertThat(TestDatabase.count(ATTEMPTS, acme.id())).isEqualTo(10);
        pause(QUIET);
        assertThat(TestDatabase.count(DELIVERIES, acme.id())).isEqualTo(10);
        assertThat(admin.get(deliveries(webhook) + "?status=succeeded").ids()).hasSize(4);
        assertThat(admin.get(deliveries(webhook) + "?status=pending").ids()).hasSize(6);
        assertThat(eventIds()).hasSize(10);
    }

    @Test
    void old_events_with_younger_deliveries_do_not_block_the_pruning_of_others() {
        var webhook = subscribe(receiver(), "webhook.ping");
        insert(webhook, BATCH, 40, "pending");
        insert(webhook, 7, 35, "succeeded");
        await(
                () -> TestDatabase.count(EVENTS, acme.id()) == BATCH,
                () -> TestDatabase.count(EVENTS, acme.id()) + " events");
    }

    @Test
    void events_without_deliveries_are_pruned_too() {
        TestDatabase.execute("""
                INSERT INTO event (organization_id, id, type, resource_id, created_at, payload)
                SELECT ?, uuid_v7(now() - age), 'cycle.created', 'x', now() - age, '{}'
                FROM unnest(ARRAY [interval '31 days', interval '29 days']) AS age""", acme.id());
        await(() -> TestDatabase.count(EVENTS, acme.id()) == 1, () -> "one event");
        pause(QUIET);
        assertThat(TestDatabase.count(EVENTS, acme.id())).isEqualTo(1);
    }

    @Test
    void the_deliveries_of_a_dead_replica_are_taken_over_when_their_leases_expire() {
        var receiver = receiver(RETRY_LATER, Reply.status(200));
        var webhook = subscribe(receiver);
        newCycle();
        var id = uuidOf(text(awaitDelivery(webhook, waiting(1)), "id"));

        claim(id, "1 hour");
        assertThat(admin.get(deliveries(webhook)).data().get(0).has("next_attempt_at"))
                .isFalse();
        requireQuiet(receiver);
        assertThat(receiver.received()).hasSize(1);

        claim(id, "-1 second");
        receiver.await(2);
        var delivery = awaitDelivery(webhook, status("succeeded"));
        assertThat(delivery.get("attempts_count").intValue()).isEqualTo(2);
    }

    @Test
    void a_lease_lasts_the_request_timeout_plus_ten_seconds() {
        var receiver = receiver(Reply.status(200).after(Duration.ofMillis(1_500)));
        var webhook = subscribe(receiver);
        newCycle();
        receiver.await(1);
        assertThat(TestDatabase.count(
                        "SELECT round(extract(epoch FROM due_at - now())) FROM delivery WHERE webhook_id = ?"
                                + " AND claim IS NOT NULL",
                        uuid(webhook)))
                .isBetween(10L, 13L);
        awaitDelivery(webhook, status("succeeded"));
    }

    @Test
    void a_late_success_of_a_lost_claim_counts_and_a_late_failure_does_not() {
        for (var status : new int[] {200, 500}) {
            var receiver = receiver(Reply.status(status).after(Duration.ofMillis(1_500)), Reply.status(200));
            var webhook = subscribe(receiver);
            newCycle();
            receiver.await(1);
            // Claims the delivery as another replica would.
            TestDatabase.execute(
                    "UPDATE delivery SET claim = ?, due_at = now() + interval '1 hour' WHERE webhook_id = ?",
                    UUID.randomUUID(),
                    uuid(webhook));
            pause(Duration.ofMillis(2_500));
            var delivery = awaitDelivery(webhook, each -> true);
            require(delivery, status(status == 200 ? "succeeded" : "pending"));
            assertThat(delivery.has("next_attempt_at")).isFalse();
        }
    }

    private static UUID uuidOf(String delivery) {
        return IdKind.DELIVERY.parse(delivery).orElseThrow();
    }

    /** Claims a delivery for a replica that does not exist, with a lease from now on. */
    private static void claim(UUID id, String lease) {
        int changed = TestDatabase.execute(
                "UPDATE delivery SET ready = false, claim = ?, due_at = now() + ?::interval WHERE id = ?",
                UUID.randomUUID(),
                lease,
                id);
        assertThat(changed).isEqualTo(1);
        TestDatabase.execute(
                "UPDATE delivery_lane l SET due_at = d.due_at FROM delivery d WHERE d.id = ?"
                        + " AND l.organization_id = d.organization_id AND l.webhook_id = d.webhook_id",
                id);
    }
}
