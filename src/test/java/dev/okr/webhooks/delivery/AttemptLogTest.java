package dev.okr.webhooks.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.okr.platform.encryption.EncryptedSecret;
import dev.okr.platform.ids.IdKind;
import dev.okr.testing.Answer;
import dev.okr.testing.TestDatabase;
import dev.okr.webhooks.AttemptOutcome;
import dev.okr.webhooks.SigningKeys;
import io.agroal.api.AgroalDataSource;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Executors;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;

/** Writes results and releases claims, as the recorder and the poller do. */
@QuarkusTest
class AttemptLogTest extends DeliveryScenario {
    private static final String LOCK_WAITS = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'";

    @Inject
    AttemptLog log;

    @Inject
    Claims claims;

    @Inject
    AgroalDataSource database;

    @Test
    void a_batch_that_is_written_twice_counts_once() throws SQLException {
        var webhook = subscribe(receiver(RETRY_LATER));
        newCycle();
        var id = id(awaitDelivery(webhook, waiting(1)));
        var batch = List.of(made(claimed(webhook, id, claim(id)), 410));
        log.write(acme.id(), batch);
        log.write(acme.id(), batch);

        var after = awaitDelivery(webhook, failed("gone"));
        assertThat(after.get("attempts_count").intValue()).isEqualTo(2);
        assertThat(attempts(webhook, after)).hasSize(2);
    }

    @Test
    void the_result_of_a_purged_webhook_does_not_block_other_results() throws SQLException {
        var webhook = subscribe(receiver(RETRY_LATER));
        newCycle();
        var id = id(awaitDelivery(webhook, waiting(1)));
        var ofPurged = made(Deliveries.claimed(UUID.randomUUID()), 500);
        log.write(acme.id(), List.of(ofPurged, made(claimed(webhook, id, claim(id)), 200)));
        awaitDelivery(webhook, status("succeeded"));
    }

    @Test
    void a_failure_counts_only_under_the_claim_of_its_delivery() throws SQLException {
        var webhook = subscribe(receiver(RETRY_LATER));
        var pair = claimPair(webhook);
        log.write(
                acme.id(),
                List.of(
                        made(claimed(webhook, pair.first(), UUID.randomUUID()), 410),
                        made(claimed(webhook, pair.second(), pair.claim()), 410)));
        assertThat(statuses(webhook)).containsExactly("pending", "failed");
    }

    @Test
    void two_claims_of_a_delivery_in_one_batch_count_once() throws SQLException {
        var webhook = subscribe(receiver(RETRY_LATER));
        newCycle();
        var id = id(awaitDelivery(webhook, waiting(1)));
        var lost = made(claimed(webhook, id, UUID.randomUUID()), 500);
        var held = made(claimed(webhook, id, claim(id)), 410);
        log.write(acme.id(), List.of(held, lost));
        var after = awaitDelivery(webhook, failed("gone"));
        assertThat(after.get("attempts_count").intValue()).isEqualTo(2);
    }

    @Test
    void a_delivery_is_released_only_from_its_own_claim() throws SQLException {
        var webhook = subscribe(receiver(RETRY_LATER));
        var pair = claimPair(webhook);
        claims.release(
                acme.id(),
                List.of(
                        claimed(webhook, pair.first(), UUID.randomUUID()),
                        claimed(webhook, pair.second(), pair.claim())));
        assertThat(isHeld(pair.first(), pair.claim())).isTrue();
        assertThat(isHeld(pair.second(), pair.claim())).isFalse();
    }

    @Test
    void deliveries_are_released_if_the_webhook_of_another_delivery_is_purged() throws SQLException {
        var webhook = subscribe(receiver(RETRY_LATER));
        var pair = claimPair(webhook);
        var purged = subscribe(receiver(), "webhook.ping");
        TestDatabase.execute("DELETE FROM webhook WHERE id = ?", uuid(purged));
        claims.release(
                acme.id(),
                List.of(
                        claimed(purged, UUID.randomUUID(), pair.claim()),
                        claimed(webhook, pair.first(), pair.claim())));
        assertThat(isHeld(pair.first(), pair.claim())).isFalse();
    }

    @Test
    void a_lane_is_marked_as_failing_until_a_success() throws SQLException {
        var webhook = subscribe(receiver(RETRY_LATER));
        makeEvents(2);
        var waiting = awaitDeliveries(webhook, 2, waiting(1));
        assertThat(isFailing(webhook)).isTrue();
        var first = id(waiting.getFirst());
        log.write(acme.id(), List.of(made(claimed(webhook, first, claim(first)), 200)));
        assertThat(isFailing(webhook)).isFalse();
    }

    @Test
    void a_failure_before_a_success_does_not_mark_the_lane() throws SQLException {
        var webhook = subscribe(receiver(RETRY_LATER));
        var pair = claimPair(webhook);
        var failure = made(claimed(webhook, pair.first(), pair.claim()), 500);
        log.write(acme.id(), List.of(failure, made(claimed(webhook, pair.second(), pair.claim()), 200)));
        assertThat(statuses(webhook)).containsExactly("pending", "succeeded");
        assertThat(isFailing(webhook)).isFalse();
    }

    @Test
    void lanes_are_locked_in_the_order_of_their_ids() throws Exception {
        var first = subscribe(receiver(RETRY_LATER));
        var second = subscribe(receiver(RETRY_LATER));
        newCycle();
        var ofFirst = id(awaitDelivery(first, waiting(1)));
        var ofSecond = id(awaitDelivery(second, waiting(1)));
        var batch = List.of(
                made(claimed(second, ofSecond, claim(ofSecond)), 200),
                made(claimed(first, ofFirst, claim(ofFirst)), 500));
        try (var recorder = Executors.newVirtualThreadPerTaskExecutor();
                var fanOut = database.getConnection()) {
            fanOut.setAutoCommit(false);
            lockLane(fanOut, first);
            var written = recorder.submit(() -> {
                log.write(acme.id(), batch);
                return true;
            });
            await(() -> TestDatabase.count(LOCK_WAITS) > 0, () -> "the recorder at the first lane");
            lockLane(fanOut, second);
            fanOut.commit();
            assertThat(written.get()).isTrue();
        }
    }

    @Test
    void a_response_is_not_stored_during_or_after_the_erasure_of_its_event() throws Exception {
        var webhook = subscribe(receiver(RETRY_LATER));
        admin.post("/v1/users", Map.of("email", UUID.randomUUID() + "@acme.test", "name", "Mary", "role", "member"))
                .is(201);
        var id = id(awaitDelivery(webhook, waiting(1)));
        var event = IdKind.EVENT.parse(eventIds().getFirst()).orElseThrow();
        var sent = admin.get("/v1/events").is(200).data().get(0).toString().getBytes(StandardCharsets.UTF_8);
        var attempt = claimed(webhook, id, claim(id), event, "user.created", new Payload(sent.length, sent));
        var outcome = new AttemptOutcome(500, null, Duration.ZERO, "Mary", null);
        log.write(acme.id(), List.of(Deliveries.made(attempt, Instant.now(), outcome)));
        assertThat(responses(webhook)).containsExactly("Mary");

        try (var erasure = database.getConnection()) {
            erasure.setAutoCommit(false);
            change(erasure, event);
            log.write(acme.id(), List.of(Deliveries.made(attempt, Instant.now(), outcome)));
            erasure.commit();
        }
        log.write(acme.id(), List.of(Deliveries.made(attempt, Instant.now(), outcome)));
        assertThat(attempts(webhook, awaitDelivery(webhook, delivery -> true))).hasSize(4);
        assertThat(responses(webhook)).containsExactly("Mary");
    }

    private List<String> responses(Answer webhook) {
        return attempts(webhook, awaitDelivery(webhook, delivery -> true)).stream()
                .flatMap(attempt -> attempt.findValuesAsText("response").stream())
                .toList();
    }

    private static void change(Connection connection, UUID event) throws SQLException {
        try (var lock = connection.prepareStatement("SELECT 1 FROM event WHERE id = ? FOR UPDATE");
                var change = connection.prepareStatement(
                        "UPDATE event SET payload = replace(payload, 'Mary', 'Erased user') WHERE id = ?")) {
            lock.setObject(1, event);
            lock.execute();
            change.setObject(1, event);
            change.execute();
        }
    }

    /** Two deliveries of a webhook with the same claim, as deliveries that are claimed together have. */
    private record Pair(UUID first, UUID second, UUID claim) {}

    private Pair claimPair(Answer webhook) {
        makeEvents(2);
        var waiting = awaitDeliveries(webhook, 2, waiting(1));
        var first = id(waiting.getFirst());
        var second = id(waiting.getLast());
        return new Pair(first, second, claim(first, second));
    }

    private static void lockLane(Connection connection, Answer webhook) throws SQLException {
        try (var statement =
                connection.prepareStatement("SELECT 1 FROM delivery_lane WHERE webhook_id = ? FOR UPDATE")) {
            statement.setObject(1, uuid(webhook));
            statement.execute();
        }
    }

    private static UUID id(JsonNode delivery) {
        return IdKind.DELIVERY.parse(text(delivery, "id")).orElseThrow();
    }

    /** Claims deliveries that wait for a retry. */
    private static UUID claim(UUID... deliveries) {
        var claim = UUID.randomUUID();
        for (var delivery : deliveries) {
            TestDatabase.execute("UPDATE delivery SET claim = ? WHERE id = ?", claim, delivery);
        }
        return claim;
    }

    /** A delivery that was claimed when its webhook was not failing. */
    private Attempt claimed(Answer webhook, UUID delivery, UUID claim) {
        return claimed(webhook, delivery, claim, UUID.randomUUID(), "cycle.created", new Payload(2, new byte[2]));
    }

    private Attempt claimed(Answer webhook, UUID delivery, UUID claim, UUID event, String type, Payload payload) {
        var keys = new SigningKeys(acme.id(), uuid(webhook), new EncryptedSecret("k", new byte[0]), null);
        return new Attempt(
                new Lane(acme.id(), uuid(webhook), false),
                delivery,
                event,
                claim,
                Instant.now(),
                1,
                0,
                new Attempt.Endpoint("https://example.com/", keys),
                type,
                Instant.now(),
                payload);
    }

    private static Attempt.Made made(Attempt attempt, int status) {
        return Deliveries.made(attempt, Instant.now(), Deliveries.status(status));
    }

    /** The states of the deliveries, newest first. */
    private List<String> statuses(Answer webhook) {
        return StreamSupport.stream(
                        admin.get(deliveries(webhook)).is(200).data().spliterator(), false)
                .map(delivery -> text(delivery, "status"))
                .toList();
    }

    private static boolean isFailing(Answer webhook) {
        return TestDatabase.count("SELECT count(*) FROM delivery_lane WHERE webhook_id = ? AND failing", uuid(webhook))
                == 1;
    }

    private static boolean isHeld(UUID delivery, UUID claim) {
        return TestDatabase.count("SELECT count(*) FROM delivery WHERE id = ? AND claim = ?", delivery, claim) == 1;
    }
}
