package dev.okr.webhooks.delivery;

import static dev.okr.testing.Json.object;
import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.testing.Receiver.Received;
import dev.okr.testing.Requests;
import dev.okr.testing.TestDatabase;
import io.quarkus.test.junit.QuarkusTest;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The requests that webhooks receive. */
@QuarkusTest
class DeliveryTest extends DeliveryScenario {
    private static final String RAW_SECRET = "Schlüssel: 16 bis 128";

    @Test
    void a_webhook_receives_only_the_types_that_it_subscribes_to() {
        var some = receiver();
        subscribe(some, "key_result.created", "check_in.created");
        var all = receiver();
        subscribe(all);
        var keyResult = newKeyResult(newObjective(), 0, 10);
        newCheckIn(keyResult, 5);

        // Creation of a cycle, an objective, a key result and a check-in, and two updates caused by the check-in.
        all.await(6);
        some.await(2);
        requireQuiet(some);

        assertThat(messageIds(all)).containsExactlyInAnyOrderElementsOf(eventIds());
        assertThat(some.received())
                .extracting(DeliveryTest::type)
                .containsExactlyInAnyOrder("key_result.created", "check_in.created");
    }

    @Test
    void webhooks_of_other_organisations_receive_nothing() {
        var elsewhere = receiver();
        organization()
                .admin()
                .post(WEBHOOKS, object("url", elsewhere.url("/"), "events", List.of("*")))
                .is(201);
        var here = receiver();
        subscribe(here);
        newCycle();

        here.await(1);
        requireQuiet(elsewhere);
        assertThat(elsewhere.received()).isEmpty();
    }

    @Test
    void each_webhook_receives_each_event_once() {
        var receivers = List.of(receiver(), receiver(), receiver());
        receivers.forEach(receiver -> subscribe(receiver, "cycle.created", "*", "cycle.updated"));
        makeEvents(20);

        receivers.forEach(receiver -> receiver.await(20));
        pause(QUIET);
        var events = eventIds();
        assertThat(receivers)
                .allSatisfy(receiver -> assertThat(messageIds(receiver)).containsExactlyInAnyOrderElementsOf(events));
    }

    @Test
    void the_body_equals_the_event_in_the_list_byte_for_byte() {
        var receiver = receiver();
        subscribe(receiver);
        admin.post("/v1/cycles", Requests.with(Requests.cycle(), "name", "Größer „werden“ 🎯 </script>"))
                .is(201);
        var request = receiver.await(1).getFirst();

        assertThat(admin.get("/v1/events").is(200).text()).startsWith("{\"data\":[" + request.text() + "],\"meta\":");
        assertThat(request.method()).isEqualTo("POST");
        assertThat(request.target()).isEqualTo("/hooks");
        assertThat(request.header("Content-Type")).contains("application/json");
        assertThat(request.header("User-Agent").orElseThrow()).startsWith("okr-service/");
        assertThat(request.header("webhook-id")).contains(eventIds().getFirst());
        assertThat(Instant.ofEpochSecond(
                        Long.parseLong(request.header("webhook-timestamp").orElseThrow())))
                .isBetween(request.at().minusSeconds(3), request.at());
        assertThat(request.header("webhook-signature").orElseThrow()).matches("v1,[A-Za-z0-9+/]{43}=");
        assertThat(request.headers()).doesNotContainKeys("Authorization", "Cookie", "traceparent");
    }

    @Test
    void the_standard_webhooks_library_accepts_the_request_and_rejects_any_change() {
        var receiver = receiver();
        var secret = subscribe(receiver).text("secret");
        newCycle();
        var request = receiver.await(1).getFirst();

        assertThat(Library.accepts(secret, request)).isTrue();
        assertThat(Library.accepts(secret, request, request.text() + ' ')).isFalse();
        assertThat(Library.accepts(secret, request, request.text().replace("Q1", "Q2")))
                .isFalse();
        assertThat(Library.accepts("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", request))
                .isFalse();
        for (var header : List.of("webhook-id", "webhook-timestamp")) {
            var headers = new HashMap<>(request.headers());
            headers.put(header, List.of(request.header(header).orElseThrow() + '0'));
            var changed = new Received(1, 1, request.at(), "POST", request.target(), headers, request.body());
            assertThat(Library.accepts(secret, changed)).as(header).isFalse();
        }
    }

    @Test
    void a_secret_from_the_client_signs_with_its_own_bytes() {
        for (var secret : List.of(RAW_SECRET, "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")) {
            var receiver = receiver();
            admin.post(WEBHOOKS, object("url", receiver.url("/"), "events", List.of("*"), "secret", secret))
                    .is(201);
            newCycle();
            assertThat(Library.accepts(secret, receiver.await(1).getFirst()))
                    .as(secret)
                    .isTrue();
        }
    }

    @Test
    void both_secrets_sign_until_the_overlap_ends() {
        var receiver = receiver();
        var webhook = subscribe(receiver);
        var before = webhook.text("secret");
        var after = admin.post(path(webhook) + "/rotate-secret", null).is(200).text("secret");
        assertThat(after).isNotEqualTo(before).matches("whsec_[A-Za-z0-9+/]{43}=");
        newCycle();
        var during = receiver.await(1).getFirst();
        assertThat(during.header("webhook-signature").orElseThrow().split(" ")).hasSize(2);
        assertThat(Library.accepts(before, during)).isTrue();
        assertThat(Library.accepts(after, during)).isTrue();

        int changed = TestDatabase.execute(
                "UPDATE webhook SET previous_secret_expires_at = "
                        + TestDatabase.shifted("previous_secret_expires_at", "- interval '24 hours'")
                        + " WHERE id = ?",
                uuid(webhook));
        assertThat(changed).isEqualTo(1);
        newCycle();
        var later = receiver.await(2).getLast();
        assertThat(Library.accepts(before, later)).isFalse();
        assertThat(Library.accepts(after, later)).isTrue();
    }

    @Test
    void after_two_rotations_the_last_two_secrets_sign() {
        var receiver = receiver();
        var webhook = subscribe(receiver);
        var second = admin.post(path(webhook) + "/rotate-secret", null).text("secret");
        var third = admin.post(path(webhook) + "/rotate-secret", null).text("secret");
        newCycle();
        var request = receiver.await(1).getFirst();
        assertThat(Library.accepts(webhook.text("secret"), request)).isFalse();
        assertThat(Library.accepts(second, request)).isTrue();
        assertThat(Library.accepts(third, request)).isTrue();
    }

    @Test
    void only_creation_and_rotation_show_a_secret() {
        var receiver = receiver();
        var webhook = subscribe(receiver);
        var secrets = List.of(
                webhook.text("secret"),
                admin.post(path(webhook) + "/rotate-secret", null).text("secret"));
        var ping = admin.post(path(webhook) + "/ping", null).is(202);
        newCycle();
        receiver.await(2);
        var everything = List.of(
                ping,
                admin.get(WEBHOOKS),
                admin.get(path(webhook)),
                admin.put(path(webhook), Map.of("active", true)),
                admin.get(deliveries(webhook)),
                admin.get(delivery(webhook, ping.id())),
                admin.get("/v1/events"),
                admin.delete(path(webhook)));
        assertThat(everything).allSatisfy(answer -> assertThat(answer.text()).doesNotContain(secrets));
        assertThat(receiver.received())
                .allSatisfy(request -> assertThat(request.text()).doesNotContain(secrets));
    }

    @Test
    void a_webhook_does_not_receive_earlier_events() {
        newCycle();
        awaitFanOut();
        var receiver = receiver();
        subscribe(receiver);
        newCycle();
        receiver.await(1);
        requireQuiet(receiver);
        assertThat(messageIds(receiver)).containsExactly(eventIds().getFirst());
    }

    @Test
    void a_changed_subscription_applies_to_later_events() {
        var receiver = receiver();
        var webhook = subscribe(receiver, "objective.created");
        newCycle();
        awaitFanOut();
        admin.put(path(webhook), Map.of("events", List.of("cycle.created"))).is(200);
        var objective = newObjective();
        receiver.await(1);
        requireQuiet(receiver);
        assertThat(receiver.received()).extracting(DeliveryTest::type).containsExactly("cycle.created");
        assertThat(objective).isNotBlank();
    }

    @Test
    void a_rejected_or_empty_change_sends_nothing() {
        var cycle = newCycle();
        awaitFanOut();
        var receiver = receiver();
        subscribe(receiver);
        admin.put("/v1/cycles/" + cycle, Map.of("ends_at", "2000-01-01T00:00:00Z"))
                .isProblem(422, "validation_failed");
        var name = admin.get("/v1/cycles/" + cycle).text("name");
        admin.put("/v1/cycles/" + cycle, Map.of("name", name)).is(200);
        requireQuiet(receiver);
        assertThat(receiver.received()).isEmpty();
    }

    @Test
    void a_deletion_sends_events_for_everything_that_it_deletes() {
        var receiver = receiver();
        subscribe(receiver, "key_result.deleted", "objective.deleted");
        var objective = newObjective();
        newKeyResult(objective, 0, 10);
        member.delete("/v1/objectives/" + objective).is(200);
        receiver.await(2);
        assertThat(receiver.received())
                .extracting(DeliveryTest::type)
                .containsExactlyInAnyOrder("key_result.deleted", "objective.deleted");
    }

    private static String type(Received request) {
        return text(body(request), "type");
    }
}
