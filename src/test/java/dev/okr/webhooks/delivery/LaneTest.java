package dev.okr.webhooks.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.platform.time.UtcClock;
import dev.okr.platform.transactions.DatabaseClock;
import dev.okr.platform.transactions.OrganizationSearch;
import dev.okr.testing.Answer;
import dev.okr.testing.Receiver.Reply;
import dev.okr.testing.ServerErrors;
import dev.okr.testing.TestDatabase;
import io.agroal.api.AgroalDataSource;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The lanes of the queue. */
@QuarkusTest
@Tag("waits")
class LaneTest extends DeliveryScenario {
    /** More than one batch of the fan-out. */
    private static final int MANY_WEBHOOKS = 520;

    private static final int MORE_THAN_THE_SLOTS = 50;

    /** The limit of an organisation. */
    private static final int MAX_WEBHOOKS = 100;

    private static final String LANES =
            "SELECT count(*) FROM delivery_lane WHERE webhook_id = ? AND due_at < 'infinity'";

    @Inject
    LaneRepair repair;

    @Inject
    AgroalDataSource database;

    @Inject
    UtcClock clock;

    @Inject
    QueueDatabase queue;

    @Inject
    Visits visits;

    @Inject
    WakeUp wakeUp;

    @Inject
    DeliveryMetrics metrics;

    @Test
    void deliveries_that_the_previous_version_queued_without_a_lane_are_sent() {
        var receiver = receiver();
        var webhook = subscribe(receiver, "webhook.ping");
        newCycle();
        queueWithoutLane(webhook);

        repair.run();
        receiver.await(1);
        awaitDelivery(webhook, status("succeeded"));
    }

    @Test
    void a_delivery_that_is_queued_during_a_deactivation_is_cancelled() {
        var receiver = receiver();
        var webhook = subscribe(receiver, "webhook.ping");
        newCycle();
        admin.put(path(webhook), Map.of("active", false)).is(200);
        await(
                () -> TestDatabase.count(
                                "SELECT count(*) FROM webhook WHERE id = ? AND cancel_until IS NULL", uuid(webhook))
                        == 1,
                () -> "the end of the cancellation");
        queueWithoutLane(webhook);

        repair.run();
        awaitDelivery(webhook, failed("deactivated"));
        assertThat(receiver.received()).isEmpty();
    }

    @Test
    void a_lane_without_pending_deliveries_is_not_due() {
        var webhook = subscribe(receiver());
        newCycle();
        awaitDelivery(webhook, status("succeeded"));
        // The lane is due once more at the end of the lease. The test does not wait for that.
        TestDatabase.execute("UPDATE delivery_lane SET due_at = now() WHERE webhook_id = ?", uuid(webhook));
        await(() -> TestDatabase.count(LANES, uuid(webhook)) == 0, () -> "the visit of the lane");
    }

    /** The age of the oldest event without a first attempt is a metric. */
    @Test
    void a_lane_with_more_deliveries_than_slots_stays_due_and_shows_their_age() {
        var webhook = subscribe(receiver(Reply.hang()));
        makeEvents(MORE_THAN_THE_SLOTS);
        await(() -> TestDatabase.count("""
                                SELECT count(*) FROM delivery_lane l
                                WHERE webhook_id = ? AND due_at <= now() AND waiting_at = (
                                    SELECT created_at FROM delivery_pending d
                                    WHERE d.webhook_id = l.webhook_id AND ready ORDER BY event_id LIMIT 1)
                                """, uuid(webhook)) == 1, () -> "the lane waits for slots");
    }

    /** The poller visits organisations with new events before its search. */
    @Test
    void a_search_finds_only_postponed_events_of_visited_organisations() {
        newCycle();
        assertThat(isFound("NULL")).isFalse();
        // The poller fans out the first event, and may fan out the postponed one before the search.
        await(() -> isFound("now() - interval '1 second'"), () -> "the postponed event");
    }

    private boolean isFound(String retryAt) {
        TestDatabase.execute(
                "INSERT INTO outbox (organization_id, event_id, type, retry_at) SELECT organization_id, id, type, "
                        + retryAt + " FROM event WHERE organization_id = ? LIMIT 1 ON CONFLICT DO NOTHING",
                acme.id());
        try {
            return visits.find(OrganizationSearch.FIRST, List.of(), List.of(acme.id()), new Slots(1, 1)).work().stream()
                    .anyMatch(work -> work.organizationId().equals(acme.id()) && work.events());
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void waking_a_lane_does_not_change_whether_it_is_failing() throws SQLException {
        var webhook = subscribe(receiver());
        newCycle();
        awaitDelivery(webhook, status("succeeded"));
        var outdated = new Lane(acme.id(), uuid(webhook), true);
        queue.transaction(sql -> {
            sql.updateAll(List.of(Lane.wake(List.of(new Lane.Due(outdated, Instant.MAX)))));
            return 1;
        });
        assertThat(TestDatabase.count(
                        "SELECT count(*) FROM delivery_lane WHERE webhook_id = ? AND failing", uuid(webhook)))
                .isZero();
    }

    @Test
    void a_lane_that_is_added_without_a_time_is_not_due() throws SQLException {
        var webhook = subscribe(receiver());
        var lane = new Lane(acme.id(), uuid(webhook), false);
        queue.transaction(sql -> {
            sql.updateAll(List.of(Lane.wake(List.of(new Lane.Due(lane, Instant.MAX)))));
            return 1;
        });
        assertThat(TestDatabase.count(
                        "SELECT count(*) FROM delivery_lane WHERE webhook_id = ? AND due_at = 'infinity'",
                        uuid(webhook)))
                .isEqualTo(1);
    }

    @Test
    void an_event_for_very_many_webhooks_is_sent_once_to_each() {
        var receiver = receiver();
        for (int i = 0; i < MANY_WEBHOOKS; i++) {
            if (i % MAX_WEBHOOKS == 0) {
                // Deleted webhooks do not count.
                TestDatabase.execute(
                        "UPDATE webhook SET deleted_at = now(), active = false WHERE organization_id = ?", acme.id());
            }
            subscribe(receiver, "cycle.created");
        }
        TestDatabase.execute(
                "UPDATE webhook SET deleted_at = NULL, active = true WHERE organization_id = ?", acme.id());
        newCycle();
        receiver.await(MANY_WEBHOOKS);
        requireQuiet(receiver);
        assertThat(TestDatabase.count(
                        "SELECT count(DISTINCT webhook_id) FROM delivery WHERE organization_id = ?", acme.id()))
                .isEqualTo(MANY_WEBHOOKS);
    }

    @Test
    void the_work_of_an_organisation_is_found_while_the_servers_of_others_are_unreachable() {
        var receiver = receiver();
        var webhook = subscribe(receiver, "webhook.ping");
        newCycle();
        queueWithoutLane(webhook);

        distribute();
        try {
            var degraded = reachableFor(acme.id());
            var queue =
                    new QueueDatabase(degraded, new DatabaseClock(degraded, clock), new OrganizationSearch(degraded));
            new LaneRepair(queue, clock, wakeUp, metrics).run();
            receiver.await(1);
        } finally {
            TestDatabase.execute("DROP VIEW pg_dist_placement");
            TestDatabase.execute("DROP FUNCTION get_shard_id_for_distribution_column");
        }
    }

    /** Stands in for the catalog of a distributed schema, in which the organisation of the test has its own server. */
    private void distribute() {
        TestDatabase.execute(
                "CREATE VIEW pg_dist_placement AS SELECT * FROM (VALUES (1, 1), (2, 2)) p (shardid, groupid)");
        TestDatabase.execute("""
                CREATE FUNCTION get_shard_id_for_distribution_column(name text, organization uuid) RETURNS int
                RETURN CASE WHEN organization = '%s' THEN 1 ELSE 2 END
                """.formatted(acme.id()));
    }

    /** A database in which a search of all organisations fails, unless it names this organisation. */
    private DataSource reachableFor(UUID organization) {
        return proxy(DataSource.class, (method, arguments) -> {
            var connection = database.getConnection();
            return proxy(Connection.class, (call, parameters) -> {
                boolean search = parameters != null
                        && parameters[0] instanceof String sql
                        && sql.contains("/* all organizations */")
                        && !sql.contains(organization.toString());
                if (search) {
                    throw ServerErrors.of("08006");
                }
                return call.invoke(connection, parameters);
            });
        });
    }

    private interface Call {
        Object answer(Method method, Object[] arguments) throws ReflectiveOperationException, SQLException;
    }

    private static <T> T proxy(Class<T> type, Call call) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(),
                new Class<?>[] {type},
                (self, method, arguments) -> call.answer(method, arguments)));
    }

    /** Queues the newest event as a replica of the previous version does. */
    private void queueWithoutLane(Answer webhook) {
        int queued = TestDatabase.execute("""
                INSERT INTO delivery (organization_id, id, webhook_id, event_id, status, attempts, retries, ready,
                    created_at, updated_at)
                SELECT organization_id, uuid_v7(now()), ?, id, 'pending', 0, 0, true, now(), now()
                FROM event WHERE organization_id = ? ORDER BY id DESC LIMIT 1
                """, uuid(webhook), acme.id());
        assertThat(queued).isEqualTo(1);
    }
}
