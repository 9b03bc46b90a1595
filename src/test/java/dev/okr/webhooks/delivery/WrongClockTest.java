package dev.okr.webhooks.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.testing.Paths;
import dev.okr.testing.Receiver;
import dev.okr.testing.Receiver.Reply;
import dev.okr.testing.TestDatabase;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A replica whose clock jumps while it works and stays wrong. */
@QuarkusTest
@Tag("waits")
class WrongClockTest extends DeliveryScenario {
    @Inject
    TestClock clock;

    @Inject
    Pruner pruner;

    @Inject
    Housekeeping housekeeping;

    private Receiver receiver;

    @BeforeEach
    void subscribe() {
        receiver = receiver();
    }

    @AfterEach
    void reset() {
        clock.reset();
    }

    @ParameterizedTest
    @ValueSource(strings = {"PT1H", "-PT1H"})
    void a_lease_survives_a_jump_of_the_clock(Duration jump) {
        // Less than the request timeout.
        receiver.answer(Reply.status(200).after(QUIET));
        var webhook = subscribe(receiver);
        newCycle();
        receiver.await(1);
        clock.err(jump);
        pause(QUIET);
        awaitDelivery(webhook, status("succeeded"));
        requireQuiet(receiver);
        assertThat(receiver.received()).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"PT1H", "-PT1H"})
    void a_lease_from_a_wrong_clock_has_the_normal_duration(Duration error) {
        clock.err(error);
        receiver.answer(Reply.status(200).after(QUIET));
        var webhook = subscribe(receiver);
        newCycle();
        receiver.await(1);
        clock.reset();
        pause(QUIET);
        awaitDelivery(webhook, status("succeeded"));
        requireQuiet(receiver);
        assertThat(receiver.received()).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"PT1H", "-PT1H"})
    void a_retry_is_on_time_despite_a_wrong_clock(Duration error) {
        clock.err(error);
        receiver.answer(Reply.status(500), Reply.status(200));
        var webhook = subscribe(receiver);
        newCycle();
        awaitDelivery(webhook, status("succeeded"));
        assertThat(receiver.received()).hasSize(2);

        receiver.answer(RETRY_LATER);
        newCycle();
        awaitDeliveries(webhook, 2, status("succeeded").or(waiting(1)));
        clock.err(error.negated());
        requireQuiet(receiver);
    }

    @ParameterizedTest
    @ValueSource(strings = {"P40D", "P-40D"})
    void a_replica_whose_clock_is_wrong_lists_all_events_that_are_not_expired(Duration error) {
        newCycle();
        newCycle();
        clock.err(error);
        var all = admin.get("/v1/events?order=asc").is(200);
        assertThat(all.data()).hasSize(2);
        var cursor = all.meta().get("next_cursor").textValue();
        clock.reset();
        newCycle();
        var next = admin.get("/v1/events?order=asc&cursor=" + cursor).is(200);
        assertThat(next.data()).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"P40D", "P-40D"})
    void a_replica_whose_clock_is_wrong_prunes_by_the_clock_of_the_database(Duration error) {
        var webhook = subscribe(receiver, "webhook.ping");
        clock.err(error);
        insert(webhook, 2, 29, "succeeded");
        insert(webhook, 3, 31, "succeeded");
        pruner.prune();
        assertThat(count("delivery")).isEqualTo(2);
        assertThat(count("event")).isEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(strings = {"P40D", "P-40D"})
    void a_replica_whose_clock_is_wrong_purges_deleted_webhooks_by_the_clock_of_the_database(Duration error) {
        var webhook = subscribe(receiver, "webhook.ping");
        admin.delete(path(webhook)).is(200);
        clock.err(error);
        housekeeping.processWebhooks();
        assertThat(count("webhook")).isEqualTo(1);
        TestDatabase.execute("UPDATE webhook SET deleted_at = now() - interval '1 hour' WHERE id = ?", uuid(webhook));
        await(
                () -> {
                    housekeeping.processWebhooks();
                    return count("webhook") == 0;
                },
                () -> "the purge of the webhook");
    }

    @Test
    void a_recovery_includes_the_events_of_a_replica_whose_clock_is_ahead() {
        var webhook = subscribe(receiver);
        admin.put(path(webhook), Map.of("active", false)).is(200);
        clock.err(Duration.ofSeconds(5));
        newCycle();
        awaitFanOut();
        clock.reset();
        admin.put(path(webhook), Map.of("active", true)).is(200);
        admin.post(path(webhook) + "/recover", Map.of("since", "2000-01-01T00:00:00Z"))
                .is(202);
        receiver.await(1);
    }

    @Test
    void a_check_in_after_the_clock_jumps_back_is_the_newest() {
        var keyResult = newKeyResult(newObjective(), 0, 100);
        var checkIns = new ArrayList<String>();
        checkIns.add(newCheckIn(keyResult, 10));
        clock.err(Duration.ofHours(-1));
        checkIns.add(newCheckIn(keyResult, 20));
        checkIns.add(newCheckIn(keyResult, 30));
        clock.err(Duration.ofHours(-2));
        checkIns.add(newCheckIn(keyResult, 40));

        var list = admin.get(Paths.checkIns(keyResult)).is(200);
        assertThat(list.ids()).containsExactlyElementsOf(checkIns.reversed());
        assertThat(Instant.parse(list.data().get(0).get("recorded_at").textValue()))
                .isAfterOrEqualTo(
                        Instant.parse(list.data().get(3).get("recorded_at").textValue()));
        assertThat(admin.get("/v1/key-results/" + keyResult)
                        .is(200)
                        .data()
                        .get("current_value")
                        .intValue())
                .isEqualTo(40);
    }

    /** The number of rows of the organisation. */
    private long count(String table) {
        return TestDatabase.count("SELECT count(*) FROM " + table + " WHERE organization_id = ?", acme.id());
    }
}
