package dev.okr.console.webhooks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.platform.ids.IdKind;
import dev.okr.platform.ids.UuidV7;
import dev.okr.testing.Answer;
import dev.okr.testing.Browser;
import dev.okr.testing.HttpTest;
import dev.okr.testing.Json;
import dev.okr.testing.Receiver;
import dev.okr.testing.Receiver.Reply;
import dev.okr.testing.TestDatabase;
import io.quarkus.test.junit.QuarkusTest;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

@QuarkusTest
class WebhookPagesTest extends HttpTest {
    private static final String WEBHOOKS = "/settings/webhooks";
    private static final Duration MAX_WAIT = Duration.ofSeconds(20);

    private final List<Receiver> receivers = new ArrayList<>();

    /** Stops all deliveries, because another test's server may get the port of a receiver. */
    @AfterEach
    void stopDeliveries() {
        TestDatabase.execute(
                "UPDATE webhook SET active = false, deleted_at = now() - interval '1 hour'"
                        + " WHERE deleted_at IS NULL AND organization_id = ?",
                acme.id());
        receivers.forEach(Receiver::close);
    }

    @Test
    void a_ping_is_sent_and_its_delivery_shows_the_outcome() {
        var receiver = receiver(Reply.status(200));
        var webhook = subscribe(receiver);
        var page = WEBHOOKS + '/' + webhook.id();
        var delivery = admin().submit(page, page + "/ping").is(200).shows("A ping is queued.", "webhook.ping");
        var address = delivery.address().getPath();

        var request = receiver.await(1).getFirst();
        await(() -> admin().get(address), "Succeeded")
                .shows(
                        "status 200",
                        "POST " + receiver.url("/hooks/secret-path"),
                        "webhook-id: " + request.header("webhook-id").orElseThrow(),
                        "webhook-timestamp: "
                                + request.header("webhook-timestamp").orElseThrow(),
                        "User-Agent: " + request.header("User-Agent").orElseThrow(),
                        "&quot;type&quot;: &quot;webhook.ping&quot;")
                .hides(request.header("webhook-signature").orElseThrow(), webhook.text("secret"));
        assertThat(entries("webhook_pinged", webhook.id())).isOne();
        admin().get(page)
                .is(200)
                .shows("webhook.ping", "Active", "Last success")
                .hides("Failing");
    }

    @Test
    void the_response_of_a_receiver_is_escaped() {
        var hostile = "<script>alert(1)</script><img src=x onerror=alert(2)>\"'</code></pre>{shell.formToken}&amp;";
        var receiver = receiver(Reply.status(500).body(hostile));
        var webhook = subscribe(receiver);
        var page = WEBHOOKS + '/' + webhook.id();
        var address = admin().submit(page, page + "/ping").is(200).address().getPath();
        await(() -> admin().get(address), "every attempt failed")
                .shows("status 500", "&lt;script&gt;alert(1)&lt;/script&gt;", "{shell.formToken}&amp;amp;", "Attempt 4")
                .hides("<script>alert", "<img");
        admin().get(page).shows("Failing", "Failing since", "every attempt failed");
        admin().get(WEBHOOKS).shows("Failing", receiver.url("/hooks/secret-path"));
    }

    @Test
    void a_delivery_can_be_repeated() {
        var receiver = receiver(Reply.status(500), Reply.status(500), Reply.status(500), Reply.status(500));
        var webhook = subscribe(receiver);
        var page = WEBHOOKS + '/' + webhook.id();
        var address = admin().submit(page, page + "/ping").is(200).address().getPath();
        await(() -> admin().get(address), "every attempt failed");
        receiver.answer(Reply.status(200));
        admin().submit(address, address + "/redeliver").is(200).shows("The delivery is queued again.");
        await(() -> admin().get(address), "Succeeded").shows("Attempt 5");
        assertThat(entries("webhook_redelivered", webhook.id())).isOne();
        assertThat(admin.get("/v1/webhooks/" + webhook.id() + "/deliveries").ids())
                .hasSize(1);
    }

    @Test
    void an_inactive_webhook_shows_the_reason_and_receives_nothing() {
        var receiver = receiver(Reply.status(410));
        var webhook = subscribe(receiver);
        var page = WEBHOOKS + '/' + webhook.id();
        var address = admin().submit(page, page + "/ping").is(200).address().getPath();
        await(() -> admin().get(address), "the receiver answered 410 Gone");
        admin().get(address).hides(">Redeliver<");
        admin().get(WEBHOOKS).shows("Deactivated", "The receiver answered 410 Gone.");
        admin().get(page)
                .shows("Deactivated", "The receiver answered 410 Gone.")
                .hides("Send a ping");
        admin().submit("/settings/api-keys/new", page + "/ping").is(409).shows("The webhook is inactive.");
        admin().submit("/settings/api-keys/new", address + "/redeliver").is(409);

        admin.put("/v1/webhooks/" + webhook.id(), Json.object("active", true)).is(200);
        admin.put("/v1/webhooks/" + webhook.id(), Json.object("active", false)).is(200);
        admin().get(page).shows("A user deactivated it.");
    }

    @Test
    void a_long_queue_has_pages_and_a_limited_count() {
        var webhook = newWebhook();
        queue(webhook, 1_200);
        var page = WEBHOOKS + '/' + webhook;
        admin().get(WEBHOOKS).is(200).shows("1000 or more");
        var seen = new ArrayList<String>();
        var next = page + "?status=pending";
        for (int i = 0; i < 3; i++) {
            var part = admin().get(next).is(200).shows("aria-current=\"true\">Pending");
            part.html()
                    .lines()
                    .filter(line -> line.contains("/deliveries/dlv_"))
                    .map(line -> line.replaceAll(".*/deliveries/(dlv_\\w+).*", "$1"))
                    .forEach(seen::add);
            next = part.find("rel=\"next\" href=\"([^\"]+)\"").replace("&amp;", "&");
        }
        assertThat(seen).hasSize(75).doesNotHaveDuplicates().isSortedAccordingTo((a, b) -> b.compareTo(a));
        admin().get(page + "?status=failed").is(200).shows("There are no such deliveries.");
        admin().get(page + "?status=lost").is(400);
        admin().get(page + "?before=yesterday").is(400);
    }

    @Test
    void a_delivery_belongs_to_its_webhook_and_organisation() {
        newCycle();
        var mine = newWebhook();
        var delivery = newDelivery(mine);
        var other = newWebhook();
        admin().get(WEBHOOKS + '/' + mine + "/deliveries/" + delivery).is(200);
        admin().get(WEBHOOKS + '/' + other + "/deliveries/" + delivery).is(404);
        var stranger = Browser.signedIn(service, organization().adminUser().email());
        stranger.get(WEBHOOKS + '/' + mine + "/deliveries/" + delivery).is(404);
        stranger.get(WEBHOOKS).is(200).shows("There are no webhooks yet.");
    }

    private Browser admin() {
        return Browser.signedIn(service, acme.adminUser().email());
    }

    private Receiver receiver(Reply... replies) {
        var receiver = Receiver.start().answer(replies);
        receivers.add(receiver);
        return receiver;
    }

    private Answer subscribe(Receiver receiver) {
        var body = Json.object("url", receiver.url("/hooks/secret-path"), "events", List.of("alignment.deleted"));
        return admin.post("/v1/webhooks", body).is(201);
    }

    /** Queues deliveries that are due much later. */
    private void queue(String webhook, int count) {
        for (int i = 0; i < count; i++) {
            var id = UuidV7.at(Instant.now());
            TestDatabase.execute(
                    """
                    INSERT INTO delivery (organization_id, id, webhook_id, event_id, status, attempts, retries, ready,
                        due_at, created_at, updated_at)
                    VALUES (?, ?, ?, ?, 'pending', 0, 0, false, now() + interval '1 hour', now(), now())
                    """, acme.id(), id, IdKind.WEBHOOK.parse(webhook).orElseThrow(), UUID.randomUUID());
        }
    }

    private static Browser.Page await(Supplier<Browser.Page> page, String text) {
        var deadline = Instant.now().plus(MAX_WAIT);
        while (true) {
            var shown = page.get().is(200);
            if (shown.html().contains(text)) {
                return shown;
            }
            assertThat(Instant.now()).as(shown::html).isBefore(deadline);
        }
    }

    private long entries(String action, String webhookId) {
        return TestDatabase.count(
                "SELECT count(*) FROM audit_entry WHERE organization_id = ? AND action = ? AND subject_id = ?"
                        + " AND actor = 'user' AND user_id = ?",
                acme.id(),
                action,
                webhookId,
                acme.adminUser().uuid());
    }
}
