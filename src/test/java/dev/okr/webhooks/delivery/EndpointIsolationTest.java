package dev.okr.webhooks.delivery;

import static dev.okr.testing.Json.object;
import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.platform.ids.IdKind;
import dev.okr.testing.Receiver;
import dev.okr.testing.Receiver.Reply;
import dev.okr.testing.Requests;
import dev.okr.testing.TestDatabase;
import io.quarkus.test.junit.QuarkusTest;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Endpoints do not delay each other, and no endpoint is overloaded. */
@QuarkusTest
class EndpointIsolationTest extends DeliveryScenario {
    private static final int MAX_AT_ONCE = 8;
    private static final int BUSY_ORGANIZATIONS = 8;
    private static final int BUSY_WEBHOOKS = 50;
    private static final int BACKLOG = 150;

    /** The fan-out queues at most 500 deliveries in one visit of an organisation. */
    private static final int EVENTS_PER_VISIT = 500 / BUSY_WEBHOOKS;

    /** Few enough that the backlog lasts longer. */
    private static final int EVENTS_DURING_BACKLOG = 9;

    private static final Duration MAX_DELAY = Duration.ofSeconds(1);
    /** The limit that {@link dev.okr.testing.TestDatabase} configures. */
    private static final Duration REQUEST_TIMEOUT = Duration.ofSeconds(3);

    @Test
    void a_hanging_endpoint_with_fifty_events_does_not_delay_others() {
        var hanging = receiver(Reply.hang());
        subscribe(hanging);
        makeEvents(50);
        hanging.awaitConnections(1);

        var healthy = receiver();
        subscribe(healthy);
        requireFastDelivery(healthy, 20);
        assertThat(hanging.received().size()).isLessThan(50);
    }

    @Test
    void twenty_hanging_endpoints_do_not_delay_others() {
        IntStream.range(0, 20).forEach(i -> subscribe(receiver(Reply.hang())));
        var healthy = receiver();
        subscribe(healthy);
        requireFastDelivery(healthy, 20);
    }

    @Test
    void endpoints_that_fail_immediately_do_not_delay_others() {
        IntStream.range(0, 20).forEach(i -> subscribe(receiver(Reply.status(500))));
        var healthy = receiver();
        subscribe(healthy);
        requireFastDelivery(healthy, 20);
    }

    @Test
    void an_endpoint_never_gets_more_than_eight_concurrent_requests() {
        var now = new AtomicInteger();
        var most = new AtomicInteger();
        var receiver = receiver();
        receiver.answer(request -> connection -> {
            most.accumulateAndGet(now.incrementAndGet(), Math::max);
            Thread.sleep(Duration.ofMillis(100));
            now.decrementAndGet();
            return Reply.status(200).write(connection);
        });
        subscribe(receiver);
        makeEvents(80);
        receiver.await(80);
        assertThat(most.get()).isBetween(2, MAX_AT_ONCE);
    }

    @Test
    void an_endpoint_that_recovers_receives_all_missed_events() {
        var receiver = receiver();
        // Longer than the first attempts, shorter than the last one.
        var well = Instant.now().plusMillis(900);
        receiver.answer(request -> Reply.status(Instant.now().isBefore(well) ? 500 : 200));
        var webhook = subscribe(receiver);
        makeEvents(10);
        awaitDeliveries(webhook, 10, status("succeeded"));
    }

    /** More than one page of endpoint queues, all sorted before the healthy one. */
    @Test
    void a_thousand_inactive_webhooks_with_pending_deliveries_do_not_block_others() {
        var healthy = receiver();
        subscribe(healthy);
        var like = uuid(subscribe(receiver()));
        var event = newEvent();
        TestDatabase.execute("""
                INSERT INTO webhook (organization_id, id, url, events, active, secret_key_id, secret_ciphertext,
                    created_at, updated_at)
                SELECT organization_id, uuid_v7(created_at - interval '1 hour'), url, events, false, secret_key_id,
                    secret_ciphertext, now(), now()
                FROM webhook, generate_series(1, 1000) WHERE organization_id = ? AND id = ?
                """, acme.id(), like);
        TestDatabase.execute("""
                INSERT INTO delivery (organization_id, id, webhook_id, event_id, status, attempts, retries, ready,
                    created_at, updated_at)
                SELECT organization_id, uuid_v7(now()), id, ?, 'pending', 0, 0, true, now(), now()
                FROM webhook WHERE organization_id = ? AND NOT active
                """, event, acme.id());
        try {
            requireFastDelivery(healthy, 5);
        } finally {
            TestDatabase.execute("DELETE FROM delivery WHERE organization_id = ? AND status = 'pending'", acme.id());
        }
    }

    @Test
    void a_backlog_of_other_organisations_does_not_delay_new_events() {
        var busy = receiver();
        var others =
                Stream.generate(this::organization).limit(BUSY_ORGANIZATIONS).toList();
        for (var other : others) {
            for (int i = 0; i < BUSY_WEBHOOKS; i++) {
                other.admin()
                        .post(WEBHOOKS, object("url", busy.url("/hooks"), "events", List.of("*")))
                        .is(201);
            }
        }
        for (var other : others) {
            TestDatabase.execute("""
                    WITH new AS (
                        INSERT INTO event (organization_id, id, type, resource_id, created_at, payload)
                        SELECT ?, uuid_v7(now()), 'cycle.created', 'x', now(), '{}' FROM generate_series(1, ?)
                        RETURNING organization_id, id, type)
                    INSERT INTO outbox (organization_id, event_id, type) SELECT organization_id, id, type FROM new""", other.id(), BACKLOG);
        }
        busy.await(BUSY_WEBHOOKS);
        var healthy = receiver();
        subscribe(healthy);
        // Counts the events of others that are fanned out before each delivery, because times depend on the machine.
        var before = new ArrayList<Long>();
        for (int i = 1; i <= EVENTS_DURING_BACKLOG; i++) {
            newCycle();
            long waiting = eventsToFanOut();
            healthy.await(i);
            before.add(waiting - eventsToFanOut());
        }
        assertThat(before.stream().sorted().toList().get(EVENTS_DURING_BACKLOG / 2))
                .as("events of others before each delivery: %s", before)
                .isLessThan(BUSY_ORGANIZATIONS / 2 * EVENTS_PER_VISIT);
    }

    private static long eventsToFanOut() {
        return TestDatabase.count("SELECT count(*) FROM outbox");
    }

    /** A replica that freezes during a fan-out holds such a lock. */
    @Test
    void a_lock_on_the_queues_of_one_organisation_does_not_delay_others() throws SQLException {
        var other = organization();
        var otherReceiver = receiver();
        other.admin()
                .post(WEBHOOKS, object("url", otherReceiver.url("/hooks"), "events", List.of("*")))
                .is(201);
        other.admin().post("/v1/cycles", Requests.uniqueCycle()).is(201);
        otherReceiver.await(1);
        var healthy = receiver();
        subscribe(healthy);
        try (var connection = TestDatabase.connect();
                var statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.execute(
                    "SELECT 1 FROM delivery_lane WHERE organization_id = '%s' FOR UPDATE".formatted(other.id()));
            other.admin().post("/v1/cycles", Requests.uniqueCycle()).is(201);
            requireFastDelivery(healthy, 5);
        }
        otherReceiver.await(2);
    }

    private UUID newEvent() {
        newCycle();
        return IdKind.EVENT.parse(admin.get("/v1/events").ids().getFirst()).orElseThrow();
    }

    /**
     * Creates events one by one and requires that each arrives soon. One in ten may be late, because the machine is
     * busy, but must not wait for the timeout of another endpoint.
     */
    private void requireFastDelivery(Receiver receiver, int events) {
        var delays = new ArrayList<Duration>();
        for (int i = 1; i <= events; i++) {
            newCycle();
            var created = Instant.now();
            var arrived = receiver.await(i).get(i - 1).at();
            delays.add(Duration.between(created, arrived));
            pause(Duration.ofMillis(50));
        }
        assertThat(delays).allMatch(delay -> delay.compareTo(REQUEST_TIMEOUT) < 0);
        assertThat(delays.stream().filter(delay -> delay.compareTo(MAX_DELAY) > 0))
                .as("late events, all delays: %s", delays)
                .hasSizeLessThanOrEqualTo(Math.ceilDiv(events, 10));
    }
}
