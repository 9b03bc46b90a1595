package dev.okr.webhooks.delivery;

import static dev.okr.testing.Json.object;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.okr.platform.ids.IdKind;
import dev.okr.platform.ids.UuidV7;
import dev.okr.testing.Answer;
import dev.okr.testing.HttpTest;
import dev.okr.testing.Receiver;
import dev.okr.testing.Receiver.Received;
import dev.okr.testing.Receiver.Reply;
import dev.okr.testing.TestDatabase;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterEach;

/** The base class of delivery tests, with receivers, webhooks and helpers that wait. */
abstract class DeliveryScenario extends HttpTest {
    static final String WEBHOOKS = "/v1/webhooks";

    /** Much longer than any test needs, even on a busy machine. */

    /** Longer than the polling interval of the service. */
    static final Duration QUIET = Duration.ofMillis(1_500);

    /** A response that postpones the next attempt beyond the end of any test. */
    static final Reply RETRY_LATER = Reply.status(503).header("Retry-After", "3600");

    private static final ObjectMapper JSON = new ObjectMapper();

    private final List<Receiver> receivers = new ArrayList<>();

    /** Stops all deliveries, because another test's server may get the port of a receiver. */
    @AfterEach
    void stopDeliveries() {
        TestDatabase.execute("UPDATE webhook SET active = false, deleted_at = now() - interval '1 hour'"
                + " WHERE deleted_at IS NULL");
        receivers.forEach(Receiver::close);
    }

    final Receiver receiver() {
        var receiver = Receiver.start();
        receivers.add(receiver);
        return receiver;
    }

    final Receiver receiver(Reply... replies) {
        return receiver().answer(replies);
    }

    /** Creates a webhook for a receiver, with these event types or, if there are none, with all. */
    final Answer subscribe(Receiver receiver, String... types) {
        var events = types.length == 0 ? List.of("*") : List.of(types);
        return admin.post(WEBHOOKS, object("url", receiver.url("/hooks"), "events", events))
                .is(201);
    }

    static String path(Answer webhook) {
        return WEBHOOKS + '/' + webhook.id();
    }

    static String deliveries(Answer webhook) {
        return path(webhook) + "/deliveries";
    }

    static String delivery(Answer webhook, String id) {
        return deliveries(webhook) + '/' + id;
    }

    static UUID uuid(Answer webhook) {
        return IdKind.WEBHOOK.parse(webhook.id()).orElseThrow();
    }

    /** Makes events by creating cycles. */
    final void makeEvents(int count) {
        for (int i = 0; i < count; i++) {
            newCycle();
        }
    }

    /**
     * Waits until all events are fanned out. A webhook that is created before that may still receive earlier events.
     */
    final void awaitFanOut() {
        await(
                () -> TestDatabase.count("SELECT count(*) FROM outbox WHERE organization_id = ?", acme.id()) == 0,
                () -> "the fan-out");
    }

    /** Inserts events of an age, each with a delivery and an attempt. Pending deliveries wait for a long time. */
    final void insert(Answer webhook, int count, int ageDays, String status) {
        var start = Instant.now().minus(Duration.ofDays(ageDays));
        var times = IntStream.range(0, count).mapToObj(start::plusMillis).toList();
        var at = times.stream().map(Instant::toString).toArray(String[]::new);
        var events = ids(times);
        var deliveries = ids(times);
        // An event without a delivery may be pruned at once.
        TestDatabase.execute("""
                INSERT INTO delivery (organization_id, id, webhook_id, event_id, status, attempts, retries, ready,
                    due_at, created_at, updated_at)
                SELECT ?, d.id, ?, d.event, ?, 1, 1, false,
                    CASE WHEN ? = 'pending' THEN now() + interval '1 hour' END, d.at, d.at
                FROM unnest(?::uuid[], ?::uuid[], ?::timestamptz[]) AS d (id, event, at)""", acme.id(), uuid(webhook), status, status, deliveries, events, at);
        TestDatabase.execute("""
                INSERT INTO event (organization_id, id, type, resource_id, created_at, payload)
                SELECT ?, e.id, 'cycle.created', 'x', e.at,
                    '{"id":"evt_01k9m2x7q4e8rvb3t5w6y0zacd","type":"cycle.created",'
                    || '"timestamp":"2026-01-11T09:00:00Z","data":{}}'
                FROM unnest(?::uuid[], ?::timestamptz[]) AS e (id, at)""", acme.id(), events, at);
        TestDatabase.execute("""
                INSERT INTO delivery_attempt (organization_id, delivery_id, id, attempted_at, duration_ms)
                SELECT ?, a.delivery, a.id, a.at, 1
                FROM unnest(?::uuid[], ?::uuid[], ?::timestamptz[]) AS a (delivery, id, at)""", acme.id(), deliveries, ids(times), at);
    }

    private static String[] ids(List<Instant> times) {
        return times.stream().map(time -> UuidV7.at(time).toString()).toArray(String[]::new);
    }

    /** The ids of all events of the organisation, newest first. */
    final List<String> eventIds() {
        return admin.get("/v1/events?per_page=100").is(200).ids();
    }

    /** Waits until there are this many deliveries and each matches. Returns them, newest first. */
    final List<JsonNode> awaitDeliveries(Answer webhook, int count, Predicate<JsonNode> expected) {
        var last = new ArrayList<JsonNode>();
        await(
                () -> {
                    last.clear();
                    admin.get(deliveries(webhook) + "?per_page=100")
                            .is(200)
                            .data()
                            .forEach(last::add);
                    return last.size() >= count && last.stream().allMatch(expected);
                },
                () -> count + " matching deliveries, found " + last);
        assertThat(last).hasSize(count);
        return last;
    }

    /** Like {@link #awaitDeliveries}, for a single delivery. */
    final JsonNode awaitDelivery(Answer webhook, Predicate<JsonNode> expected) {
        return awaitDeliveries(webhook, 1, expected).getFirst();
    }

    static Predicate<JsonNode> status(String status) {
        return delivery -> text(delivery, "status").equals(status);
    }

    static Predicate<JsonNode> failed(String reason) {
        return status("failed")
                .and(delivery -> delivery.path("failure_reason").asText().equals(reason));
    }

    static void require(JsonNode delivery, Predicate<JsonNode> expected) {
        assertThat(expected.test(delivery)).as(delivery::toString).isTrue();
    }

    /** Matches a pending delivery with this number of attempts and a scheduled retry. */
    static Predicate<JsonNode> waiting(int attempts) {
        return status("pending")
                .and(delivery -> delivery.get("attempts_count").intValue() == attempts)
                .and(delivery -> delivery.has("next_attempt_at"));
    }

    final Answer detail(Answer webhook, JsonNode delivery) {
        return admin.get(delivery(webhook, text(delivery, "id"))).is(200);
    }

    /** The attempts of a delivery, oldest first. */
    final List<JsonNode> attempts(Answer webhook, JsonNode delivery) {
        var attempts = detail(webhook, delivery).data().get("attempts");
        return StreamSupport.stream(attempts.spliterator(), false).toList().reversed();
    }

    static JsonNode body(Received request) {
        try {
            return JSON.readTree(request.body());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static String text(JsonNode object, String field) {
        return object.required(field).textValue();
    }

    static String messageId(Received request) {
        return request.header("webhook-id").orElseThrow();
    }

    static List<String> messageIds(Receiver receiver) {
        return receiver.received().stream().map(DeliveryScenario::messageId).toList();
    }

    /** Requires that no further request arrives. */
    static void requireQuiet(Receiver receiver) {
        int before = receiver.received().size();
        pause(QUIET);
        assertThat(receiver.received()).hasSize(before);
    }

    static void pause(Duration time) {
        try {
            Thread.sleep(time);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}
