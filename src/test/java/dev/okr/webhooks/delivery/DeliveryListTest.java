package dev.okr.webhooks.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.platform.ids.IdKind;
import dev.okr.testing.Answer;
import dev.okr.testing.Receiver.Reply;
import dev.okr.testing.StrangeIds;
import io.quarkus.test.junit.QuarkusTest;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;

/** Reading deliveries over the API, and the permissions for it. */
@QuarkusTest
class DeliveryListTest extends DeliveryScenario {

    @Test
    void deliveries_are_listed_newest_first_with_the_type_of_their_event() {
        var webhook = subscribe(receiver());
        var objective = newObjective();
        var all = awaitDeliveries(webhook, 2, status("succeeded"));
        assertThat(all)
                .extracting(delivery -> text(delivery, "event_id"))
                .containsExactlyInAnyOrderElementsOf(eventIds());
        assertThat(all)
                .extracting(delivery -> text(delivery, "event_type"))
                .containsExactlyInAnyOrder("objective.created", "cycle.created");
        assertThat(all).extracting(delivery -> text(delivery, "id")).isSortedAccordingTo(Comparator.reverseOrder());
        assertThat(all).extracting(delivery -> text(delivery, "webhook_id")).containsOnly(webhook.id());
        assertThat(objective).isNotBlank();
    }

    @Test
    void a_list_can_be_filtered_by_status() {
        var receiver = receiver(Reply.status(200), Reply.status(200), RETRY_LATER);
        var webhook = subscribe(receiver);
        makeEvents(2);
        awaitDeliveries(webhook, 2, status("succeeded"));
        newCycle();
        awaitDeliveries(webhook, 3, status("succeeded").or(waiting(1)));
        assertThat(list(webhook, "?status=succeeded").ids()).hasSize(2);
        assertThat(list(webhook, "?status=pending").ids()).hasSize(1);
        assertThat(list(webhook, "?status=pending").meta().get("total").intValue())
                .isEqualTo(1);
        assertThat(list(webhook, "?status=failed").ids()).isEmpty();
        for (var wrong : List.of("status=done", "status=PENDING", "status=", "state=pending", "event_id=x")) {
            admin.get(deliveries(webhook) + '?' + wrong).isMalformed();
        }
    }

    @Test
    void a_list_has_pages_and_cursors() {
        var webhook = subscribe(receiver());
        makeEvents(7);
        var all = awaitDeliveries(webhook, 7, status("succeeded")).stream()
                .map(delivery -> text(delivery, "id"))
                .toList();
        var second = list(webhook, "?status=succeeded&per_page=3&page=2");
        assertThat(second.ids()).isEqualTo(all.subList(3, 6));
        assertThat(second.header("Link").orElseThrow())
                .contains("<" + deliveries(webhook) + "?page=3&per_page=3&status=succeeded>; rel=\"next\"");

        var read = new ArrayList<String>();
        var cursor = "";
        do {
            var page = list(webhook, "?status=succeeded&per_page=3&cursor=" + cursor);
            read.addAll(page.ids());
            cursor = page.meta().path("next_cursor").asText();
        } while (!cursor.isEmpty());
        assertThat(read).isEqualTo(all);
    }

    @Test
    void a_delivery_belongs_to_one_webhook() {
        var webhook = subscribe(receiver());
        var other = subscribe(receiver());
        newCycle();
        var delivery = awaitDelivery(webhook, status("succeeded"));
        var id = text(delivery, "id");
        admin.get(delivery(webhook, id)).is(200);
        admin.get(delivery(other, id)).isNotFound();
        admin.post(delivery(other, id) + "/redeliver", null).isNotFound();
        var elsewhere = organization().admin();
        elsewhere.get(delivery(webhook, id)).isNotFound();
        elsewhere.get(deliveries(webhook)).isNotFound();
        elsewhere.post(delivery(webhook, id) + "/redeliver", null).isNotFound();
        elsewhere.post(path(webhook) + "/ping", null).isNotFound();
        elsewhere.post(path(webhook) + "/rotate-secret", null).isNotFound();
        elsewhere
                .post(path(webhook) + "/recover", Map.of("since", "2000-01-01T00:00:00Z"))
                .isNotFound();
    }

    @Test
    void unknown_or_malformed_ids_are_not_found() {
        var webhook = subscribe(receiver());
        newCycle();
        var id = text(awaitDelivery(webhook, status("succeeded")), "id");
        for (var strange : StrangeIds.like(IdKind.DELIVERY, id)) {
            admin.get(delivery(webhook, strange)).isNotFound();
            admin.post(delivery(webhook, strange) + "/redeliver", null).isNotFound();
        }
        for (var strange : StrangeIds.like(IdKind.WEBHOOK, webhook.id())) {
            var path = WEBHOOKS + '/' + strange;
            admin.get(path + "/deliveries").isNotFound();
            admin.post(path + "/ping", null).isNotFound();
            admin.post(path + "/rotate-secret", null).isNotFound();
            admin.post(path + "/recover", Map.of("since", "2000-01-01T00:00:00Z"))
                    .isNotFound();
        }
    }

    @Test
    void deliveries_require_an_admin_with_the_scope() {
        var webhook = subscribe(receiver());
        newCycle();
        var id = text(awaitDelivery(webhook, status("succeeded")), "id");
        var without = acme.scoped("read", "write");
        var with = acme.scoped("webhooks");
        for (var path : List.of(deliveries(webhook), delivery(webhook, id))) {
            member.get(path).isProblem(403, "forbidden");
            viewer.get(path).isProblem(403, "forbidden");
            without.get(path).isProblem(403, "insufficient_scope");
            stranger().get(path).isProblem(401, "unauthenticated");
            with.get(path).is(200);
        }
        var actions = Map.of(
                delivery(webhook, id) + "/redeliver", Map.of(),
                path(webhook) + "/ping", Map.of(),
                path(webhook) + "/recover", Map.of("since", "2000-01-01T00:00:00Z"),
                path(webhook) + "/rotate-secret", Map.of());
        actions.forEach((path, body) -> {
            var sent = body.isEmpty() ? null : body;
            member.post(path, sent).isProblem(403, "forbidden");
            viewer.post(path, sent).isProblem(403, "forbidden");
            without.post(path, sent).isProblem(403, "insufficient_scope");
            stranger().post(path, sent).isProblem(401, "unauthenticated");
            assertThat(with.post(path, sent).status()).isIn(200, 202);
        });
    }

    private Answer list(Answer webhook, String query) {
        var answer = admin.get(deliveries(webhook) + query).is(200);
        assertThat(StreamSupport.stream(answer.data().spliterator(), false))
                .allSatisfy(delivery -> assertThat(delivery.has("attempts")).isFalse());
        return answer;
    }
}
