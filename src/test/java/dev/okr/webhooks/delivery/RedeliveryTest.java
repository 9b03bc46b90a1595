package dev.okr.webhooks.delivery;

import static dev.okr.testing.Json.object;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.okr.testing.Answer;
import dev.okr.testing.Json;
import dev.okr.testing.Receiver.Reply;
import dev.okr.testing.TestDatabase;
import io.quarkus.test.junit.QuarkusTest;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;

/** Deliveries on request: pings, redeliveries and recoveries. */
@QuarkusTest
@Tag("waits")
class RedeliveryTest extends DeliveryScenario {
    private static final String LONG_AGO = "2000-01-01T00:00:00Z";

    private Answer redeliver(Answer webhook, JsonNode delivery) {
        return admin.post(delivery(webhook, text(delivery, "id")) + "/redeliver", null);
    }

    private Answer recover(Answer webhook, String since) {
        return admin.post(path(webhook) + "/recover", Map.of("since", since));
    }

    private void setActive(Answer webhook, boolean active) {
        admin.put(path(webhook), Map.of("active", active)).is(200);
    }

    private void importTeam(String name, String query) {
        var line = Json.write(object("type", "team", "data", object("id", name, "name", name)));
        var id = admin.header("Content-Type", "application/x-ndjson")
                .post("/v1/imports" + query, line.getBytes(StandardCharsets.UTF_8))
                .is(202)
                .id();
        await(
                () -> admin.get("/v1/imports/" + id).is(200).text("status").equals("succeeded"),
                () -> "the import of " + name);
    }

    @Test
    void a_ping_reaches_only_its_webhook_whatever_its_subscription() {
        var receiver = receiver();
        var webhook = subscribe(receiver, "alignment.deleted");
        var other = receiver();
        subscribe(other);
        var ping = admin.post(path(webhook) + "/ping", null).is(202);
        assertThat(ping.text("status")).isEqualTo("pending");
        assertThat(ping.text("event_type")).isEqualTo("webhook.ping");
        assertThat(ping.text("webhook_id")).isEqualTo(webhook.id());

        var request = receiver.await(1).getFirst();
        assertThat(messageId(request)).isEqualTo(ping.text("event_id"));
        assertThat(Library.accepts(webhook.text("secret"), request)).isTrue();
        var body = body(request);
        assertThat(text(body, "type")).isEqualTo("webhook.ping");
        assertThat(body.get("data")).isEqualTo(admin.get(path(webhook)).is(200).data());
        assertThat(body.at("/actor/user_id").textValue())
                .isEqualTo(acme.adminUser().id());
        assertThat(awaitDelivery(webhook, status("succeeded")).get("id").textValue())
                .isEqualTo(ping.id());
        assertThat(eventIds()).containsExactly(ping.text("event_id"));
        requireQuiet(other);
        assertThat(other.received()).isEmpty();
    }

    @Test
    void an_inactive_webhook_receives_no_requested_deliveries() {
        var receiver = receiver(Reply.status(500));
        var webhook = subscribe(receiver);
        newCycle();
        var delivery = awaitDelivery(webhook, failed("exhausted"));
        setActive(webhook, false);
        int before = receiver.received().size();
        admin.post(path(webhook) + "/ping", null).isProblem(409, "conflict");
        redeliver(webhook, delivery).isProblem(409, "conflict");
        recover(webhook, LONG_AGO).isProblem(409, "conflict");
        requireQuiet(receiver);
        assertThat(receiver.received()).hasSize(before);
        assertThat(admin.get(deliveries(webhook)).ids()).hasSize(1);
    }

    @Test
    void a_successful_delivery_can_be_sent_again() {
        var receiver = receiver();
        var webhook = subscribe(receiver);
        newCycle();
        var delivery = awaitDelivery(webhook, status("succeeded"));
        var again = redeliver(webhook, delivery).is(202);
        assertThat(again.id()).isEqualTo(text(delivery, "id"));
        assertThat(again.text("status")).isEqualTo("pending");
        receiver.await(2);
        requireQuiet(receiver);

        var requests = receiver.received();
        assertThat(messageIds(receiver)).containsOnly(text(delivery, "event_id"));
        assertThat(requests.getLast().text()).isEqualTo(requests.getFirst().text());
        var after = awaitDelivery(webhook, status("succeeded"));
        assertThat(after.get("attempts_count").intValue()).isEqualTo(2);
        assertThat(attempts(webhook, after)).hasSize(2);
    }

    @Test
    void each_redelivery_of_a_failed_delivery_makes_one_attempt() {
        var receiver = receiver(Reply.status(500));
        var webhook = subscribe(receiver);
        newCycle();
        var delivery = awaitDelivery(webhook, failed("exhausted"));
        int before = receiver.received().size();
        redeliver(webhook, delivery).is(202);
        receiver.await(before + 1);
        awaitDelivery(webhook, failed("exhausted"));
        requireQuiet(receiver);
        assertThat(receiver.received()).hasSize(before + 1);

        receiver.answer(Reply.status(200));
        assertThat(redeliver(webhook, delivery).is(202).data().has("failure_reason"))
                .isFalse();
        var after = awaitDelivery(webhook, status("succeeded"));
        assertThat(after.get("attempts_count").intValue()).isEqualTo(before + 2);
        assertThat(after.has("failure_reason")).isFalse();
    }

    @Test
    void a_redelivery_brings_the_next_retry_forward() {
        var receiver = receiver(RETRY_LATER, Reply.status(500), Reply.status(500), Reply.status(200));
        var webhook = subscribe(receiver);
        newCycle();
        var delivery = awaitDelivery(webhook, waiting(1));
        assertThat(redeliver(webhook, delivery).is(202).data().has("next_attempt_at"))
                .isFalse();
        var after = awaitDelivery(webhook, status("succeeded"));
        assertThat(after.get("attempts_count").intValue()).isEqualTo(4);
    }

    @Test
    void a_delivery_in_flight_is_not_sent_twice() {
        var receiver = receiver(Reply.status(200).after(Duration.ofSeconds(1)));
        var webhook = subscribe(receiver);
        newCycle();
        receiver.await(1);
        var delivery = awaitDelivery(webhook, status("pending"));
        assertThat(delivery.has("next_attempt_at")).isFalse();
        redeliver(webhook, delivery).is(202);
        awaitDelivery(webhook, status("succeeded"));
        requireQuiet(receiver);
        assertThat(receiver.received()).hasSize(1);
    }

    @Test
    void a_recovery_sends_only_failed_and_missed_events() {
        var receiver = receiver(Reply.status(200));
        var webhook = subscribe(receiver, "cycle.created");
        var other = receiver();
        var otherWebhook = subscribe(other);
        newCycle();
        awaitDeliveries(webhook, 1, status("succeeded"));
        receiver.answer(Reply.status(500));
        newCycle();
        awaitDeliveries(webhook, 2, status("succeeded").or(failed("exhausted")));
        setActive(webhook, false);
        var objective = newObjective();
        awaitFanOut();
        setActive(webhook, true);
        var events = admin.get("/v1/events?type=cycle.created").is(200).ids();
        receiver.answer(Reply.status(200));
        int before = receiver.received().size();

        var recovery = recover(webhook, LONG_AGO).is(202);
        assertThat(recovery.text("webhook_id")).isEqualTo(webhook.id());
        assertThat(recovery.text("since")).isEqualTo(LONG_AGO);

        receiver.await(before + 2);
        awaitDeliveries(webhook, 3, status("succeeded"));
        requireQuiet(receiver);
        assertThat(messageIds(receiver).subList(before, before + 2))
                .containsExactlyInAnyOrder(events.get(0), events.get(1));
        assertThat(objective).isNotBlank();
        // A second recovery finds nothing to send.
        recover(webhook, LONG_AGO).is(202);
        requireQuiet(receiver);
        awaitDeliveries(otherWebhook, 4, status("succeeded"));
        assertThat(messageIds(other)).doesNotHaveDuplicates().hasSize(4);
    }

    @Test
    void a_recovery_starts_at_the_requested_time() {
        var receiver = receiver(Reply.status(500));
        var webhook = subscribe(receiver);
        makeEvents(2);
        awaitDeliveries(webhook, 2, failed("exhausted"));
        pause(Duration.ofSeconds(1));
        var since = Instant.now().plusSeconds(1).truncatedTo(ChronoUnit.SECONDS);
        pause(Duration.between(Instant.now(), since));
        newCycle();
        awaitDeliveries(webhook, 3, failed("exhausted"));
        receiver.answer(Reply.status(200));
        int before = receiver.received().size();
        recover(webhook, since.toString()).is(202);
        receiver.await(before + 1);
        requireQuiet(receiver);
        assertThat(messageIds(receiver).subList(before, receiver.received().size()))
                .containsExactly(eventIds().getFirst());
    }

    @Test
    void a_recovery_skips_events_from_before_the_webhook_was_created() {
        newCycle();
        awaitFanOut();
        var receiver = receiver();
        var webhook = subscribe(receiver);
        recover(webhook, LONG_AGO).is(202);
        requireQuiet(receiver);
        assertThat(receiver.received()).isEmpty();
    }

    @Test
    void recovered_deliveries_restart_the_retry_schedule() {
        var receiver = receiver(Reply.status(500));
        var webhook = subscribe(receiver);
        newCycle();
        awaitDelivery(webhook, failed("exhausted"));
        recover(webhook, LONG_AGO).is(202);
        receiver.await(8);
        var delivery = awaitDelivery(webhook, failed("exhausted"));
        assertThat(delivery.get("attempts_count").intValue()).isEqualTo(8);
        requireQuiet(receiver);
    }

    @Test
    void a_recovery_of_more_than_one_batch_sends_each_event_once() {
        int events = 1_100;
        int silent = 600;
        var receiver = receiver();
        var webhook = subscribe(receiver);
        var organization = acme.id();
        TestDatabase.execute("""
                INSERT INTO event (organization_id, id, type, resource_id, created_at, payload, silent)
                SELECT ?, uuid_v7(now() + n * interval '1 microsecond'), 'cycle.created', 'cyc_' || n, now(),
                    '{"n":' || n || '}', n <= ?
                FROM generate_series(1, ?) AS n""", organization, silent, silent + events);
        recover(webhook, LONG_AGO).is(202);
        receiver.await(events);
        requireQuiet(receiver);
        assertThat(messageIds(receiver)).hasSize(events).doesNotHaveDuplicates();
    }

    @Test
    void a_recovery_skips_imports_that_do_not_notify_webhooks() {
        var receiver = receiver();
        var webhook = subscribe(receiver);
        importTeam("active-silent", "");
        importTeam("active", "?notify=true");
        awaitDeliveries(webhook, 1, status("succeeded"));
        setActive(webhook, false);
        importTeam("inactive-silent", "");
        importTeam("inactive", "?notify=true");
        newCycle();
        awaitFanOut();
        setActive(webhook, true);

        recover(webhook, LONG_AGO).is(202);

        receiver.await(3);
        requireQuiet(receiver);
        var events = eventIds();
        assertThat(events).hasSize(5);
        assertThat(messageIds(receiver)).containsExactlyInAnyOrder(events.get(3), events.get(1), events.get(0));
    }

    @Test
    void the_start_of_a_recovery_is_required() {
        var webhook = subscribe(receiver());
        admin.post(path(webhook) + "/recover", Map.of()).isInvalid("/since required");
        admin.post(path(webhook) + "/recover", Map.of("since", "yesterday")).isInvalid("/since invalid_format");
        admin.post(path(webhook) + "/recover", Map.of("since", LONG_AGO, "until", LONG_AGO))
                .isInvalid("/until unknown_field");
    }

    @Test
    @DisabledIfSystemProperty(named = "okr.test.citus", matches = "true", disabledReason = "waits on another server")
    void a_recovery_waits_for_a_fan_out_that_has_not_seen_the_webhook() throws SQLException {
        var receiver = receiver();
        var webhook = subscribe(receiver);
        setActive(webhook, false);
        newCycle();
        awaitFanOut();
        // Like a fan-out that has read the webhooks, but has not committed. The poller skips the event.
        TestDatabase.execute("""
                INSERT INTO outbox (organization_id, event_id, type, retry_at)
                SELECT organization_id, id, type, 'infinity' FROM event WHERE organization_id = ? AND type = 'cycle.created'
                """, acme.id());
        try (var fanOut = TestDatabase.connect();
                var statement = fanOut.createStatement()) {
            fanOut.setAutoCommit(false);
            assertThat(statement.executeUpdate("DELETE FROM outbox WHERE organization_id = '%s'".formatted(acme.id())))
                    .isEqualTo(1);
            setActive(webhook, true);
            recover(webhook, LONG_AGO).is(202);
            await(
                    () -> TestDatabase.count("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'")
                            > 0,
                    () -> "the recovery to wait");
            fanOut.commit();
        }
        receiver.await(1);
    }
}
