package dev.okr.console.webhooks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.platform.ids.IdKind;
import dev.okr.testing.Browser;
import dev.okr.testing.HttpTest;
import dev.okr.testing.Json;
import dev.okr.testing.Receiver;
import dev.okr.testing.TestDatabase;
import io.quarkus.test.junit.QuarkusTest;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Admins manage webhooks in the console, with the rules of the API. */
@QuarkusTest
class WebhookFormsTest extends HttpTest {
    private static final String WEBHOOKS = "/settings/webhooks";
    private static final String URL = "https://93.184.215.14/secret-path";
    private static final String SECRET = "id=\"secret\">(whsec_[^<]+)<";

    private final Receiver receiver = Receiver.start();

    @AfterEach
    void stopDeliveries() {
        TestDatabase.execute(
                "UPDATE webhook SET active = false, deleted_at = now() - interval '1 hour'"
                        + " WHERE deleted_at IS NULL AND organization_id = ?",
                acme.id());
        receiver.close();
    }

    @Test
    void a_webhook_is_created_and_its_secret_is_shown_once() throws Exception {
        var page = create(receiver.url("/hooks"), "objective.updated", "check_in.created")
                .is(200)
                .shows("It is not shown again.", receiver.url("/hooks"));
        var secret = page.find(SECRET);
        var id = page.find(WEBHOOKS + "/(wh_[0-9a-z]{26})\"");
        assertThat(admin.get("/v1/webhooks/" + id).is(200).data().get("events"))
                .hasToString("[\"objective.updated\",\"check_in.created\"]");
        admin().get(WEBHOOKS + '/' + id)
                .is(200)
                .shows(receiver.url("/hooks"), "Active")
                .hides(secret);

        admin().submit(WEBHOOKS + '/' + id, WEBHOOKS + '/' + id + "/ping").is(200);
        var request = receiver.await(1).getFirst();
        assertThat(request.header("webhook-signature").orElseThrow()).isEqualTo(signature(secret, request));
        admin().get("/settings/audit").shows("created", "events objective.updated, check_in.created");
    }

    @Test
    void the_same_form_creates_one_webhook() {
        var browser = admin();
        var form = browser.get(WEBHOOKS + "/new").is(200);
        var fields = new String[] {
            "form_token", form.formToken(), "id", form.find("name=\"id\" value=\"([^\"]+)"), "url", URL, "events", "*"
        };
        browser.post(WEBHOOKS, fields).is(200).shows("It is not shown again.");
        browser.post(WEBHOOKS, fields)
                .is(409)
                .shows("The webhook was already created.")
                .hides("whsec_");
        assertThat(admin.get("/v1/webhooks").ids()).hasSize(1);
        admin.delete("/v1/webhooks/" + admin.get("/v1/webhooks").ids().getFirst())
                .is(200);
        browser.post(WEBHOOKS, fields).is(409);
        assertThat(admin.get("/v1/webhooks").ids()).isEmpty();
    }

    @Test
    void the_rules_of_the_api_check_the_fields() {
        create("https://127.0.0.2/", "*").is(422).shows("value=\"https://127.0.0.2/\"", "url-error");
        create("", "*").is(422).shows("url-error");
        admin().submit(WEBHOOKS + "/new", WEBHOOKS, "url", URL).is(422).shows("must name at least one value");
        create(URL, "objective.exploded").is(422).shows("This field must be one of");
        assertThat(admin.get("/v1/webhooks").ids()).isEmpty();
    }

    @Test
    void a_webhook_is_edited() {
        var id = newWebhook();
        var edit = WEBHOOKS + '/' + id + "/edit";
        admin().get(edit).is(200).shows("value=\"alignment.deleted\" checked");
        admin().submit(edit, edit, "url", URL, "events", "objective.created", "events", "objective.deleted")
                .is(200)
                .shows("The webhook is changed.", "objective.created, objective.deleted", URL);
        assertThat(admin.get("/v1/webhooks/" + id).text("url")).isEqualTo(URL);
        admin().get("/settings/audit")
                .shows(
                        "events from alignment.deleted to objective.created, objective.deleted",
                        "to https://93.184.215.14")
                .hides("secret-path");
        admin().submit(edit, edit, "url", "http://[", "events", "*").is(422).shows("url-error", "value=\"http://[\"");
    }

    @Test
    void a_form_does_not_overwrite_a_change_that_its_user_has_not_seen() {
        var id = newWebhook();
        var edit = WEBHOOKS + '/' + id + "/edit";
        var browser = admin();
        var form = browser.get(edit).is(200);
        admin.put("/v1/webhooks/" + id, Json.object("events", List.of("cycle.updated")))
                .is(200);
        browser.post(
                        edit,
                        "form_token",
                        form.formToken(),
                        "version",
                        form.find("name=\"version\" value=\"([^\"]+)"),
                        "url",
                        URL,
                        "events",
                        "*")
                .is(409)
                .shows("The webhook has changed since you opened the form.");
        assertThat(admin.get("/v1/webhooks/" + id).data().get("events")).hasToString("[\"cycle.updated\"]");
    }

    @Test
    void a_webhook_is_paused_and_resumed() {
        var id = newWebhook();
        var page = WEBHOOKS + '/' + id;
        admin().submit(page, page + "/pause")
                .is(200)
                .shows("The webhook is paused.", "A user deactivated it.", "Resume")
                .hides("Send a ping", "Recover missed events");
        assertThat(admin.get("/v1/webhooks/" + id).data().get("active").booleanValue())
                .isFalse();
        admin().submit(page, page + "/resume").is(200).shows("The webhook is active again.", "Send a ping");
        assertThat(admin.get("/v1/webhooks/" + id).data().get("active").booleanValue())
                .isTrue();
        admin().get("/settings/audit").shows("active from true to false", "active from false to true");
    }

    @Test
    void a_rotated_secret_is_shown_once_and_the_old_one_still_signs() throws Exception {
        var created = admin.post(
                        "/v1/webhooks",
                        Json.object("url", receiver.url("/hooks"), "events", List.of("alignment.deleted")))
                .is(201);
        var rotate = WEBHOOKS + '/' + created.id() + "/rotate-secret";
        var browser = admin();
        var form = browser.get(rotate).is(200).shows("For 24 hours").hides("whsec_");
        var fields =
                new String[] {"form_token", form.formToken(), "version", form.find("name=\"version\" value=\"([^\"]+)")
                };
        var secret = browser.post(rotate, fields).is(200).find(SECRET);
        browser.post(rotate, fields).is(409).hides("whsec_");

        admin.post("/v1/webhooks/" + created.id() + "/ping", null).is(202);
        var request = receiver.await(1).getFirst();
        assertThat(request.header("webhook-signature").orElseThrow().split(" "))
                .containsExactlyInAnyOrder(signature(secret, request), signature(created.text("secret"), request));
    }

    @Test
    void missed_events_are_recovered() {
        var webhook = admin.post(
                        "/v1/webhooks", Json.object("url", receiver.url("/hooks"), "events", List.of("cycle.created")))
                .is(201)
                .id();
        var page = WEBHOOKS + '/' + webhook;
        admin().submit(page, page + "/pause").is(200);
        newCycle();
        admin().submit(page, page + "/resume").is(200);
        admin().get(page + "/recover").is(200).shows("type=\"datetime-local\"");
        admin().submit(page + "/recover", page + "/recover", "since", "yesterday")
                .is(422)
                .shows("RFC 3339");
        admin().submit(page + "/recover", page + "/recover", "since", "2020-01-01T00:00")
                .is(200)
                .shows("The recovery has started.");
        assertThat(receiver.await(1).getFirst().header("webhook-id").orElseThrow())
                .startsWith("evt_");
        admin().get("/settings/audit").shows("recovered", "events since 2020-01-01T00:00:00Z");
    }

    @Test
    void a_webhook_is_deleted_after_a_question() {
        var id = newWebhook();
        var delete = WEBHOOKS + '/' + id + "/delete";
        admin().get(delete).is(200).shows("This cannot be undone.");
        admin().submit(delete, delete).is(200).shows("The webhook is deleted.", "There are no webhooks yet.");
        admin.get("/v1/webhooks/" + id).is(404);
    }

    @Test
    void without_the_plan_a_webhook_can_only_be_paused_and_deleted() {
        var id = newWebhook();
        var page = WEBHOOKS + '/' + id;
        TestDatabase.execute("UPDATE organization SET plan = 'free' WHERE id = ?", acme.id());
        admin().get(WEBHOOKS).is(200).shows("requires the Business plan").hides("New webhook");
        admin().get(WEBHOOKS + "/new")
                .is(200)
                .shows("requires the Business plan")
                .hides("Create webhook");
        admin().submit(
                        "/settings/api-keys",
                        WEBHOOKS,
                        "id",
                        IdKind.WEBHOOK.format(acme.id()),
                        "url",
                        URL,
                        "events",
                        "*")
                .is(403)
                .shows("Business plan");
        for (var action : List.of("/ping", "/resume", "/edit", "/rotate-secret", "/recover")) {
            admin().submit(page, page + action).is(403);
        }
        admin().submit(page, page + "/pause").is(200).shows("The webhook is paused.");
        admin().submit(page + "/delete", page + "/delete").is(200);
    }

    private Browser admin() {
        return Browser.signedIn(service, acme.adminUser().email());
    }

    private Browser.Page create(String url, String... events) {
        var fields = new String[2 + 2 * events.length];
        fields[0] = "url";
        fields[1] = url;
        for (int i = 0; i < events.length; i++) {
            fields[2 + 2 * i] = "events";
            fields[3 + 2 * i] = events[i];
        }
        return admin().submit(WEBHOOKS + "/new", WEBHOOKS, fields);
    }

    private static String signature(String secret, Receiver.Received request) throws Exception {
        var mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(Base64.getDecoder().decode(secret.substring("whsec_".length())), "HmacSHA256"));
        var signed = request.header("webhook-id").orElseThrow()
                + '.'
                + request.header("webhook-timestamp").orElseThrow()
                + '.';
        mac.update(signed.getBytes(StandardCharsets.UTF_8));
        return "v1,"
                + Base64.getEncoder().encodeToString(mac.doFinal(request.text().getBytes(StandardCharsets.UTF_8)));
    }
}
