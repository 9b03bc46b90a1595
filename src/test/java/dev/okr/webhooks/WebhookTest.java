package dev.okr.webhooks;

import static dev.okr.testing.Json.object;
import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.platform.ids.IdKind;
import dev.okr.testing.Answer;
import dev.okr.testing.HttpTest;
import dev.okr.testing.Requests;
import dev.okr.testing.StrangeIds;
import dev.okr.testing.TestDatabase;
import io.quarkus.test.junit.QuarkusTest;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@QuarkusTest
class WebhookTest extends HttpTest {
    private static final String WEBHOOKS = "/v1/webhooks";
    private static final String URL = "https://93.184.215.14/hooks";

    private static Map<String, Object> webhook() {
        return object("url", URL, "events", List.of("objective.updated", "check_in.created"));
    }

    private Answer create() {
        return admin.post(WEBHOOKS, webhook()).is(201);
    }

    @Test
    void a_webhook_is_created_active_and_shows_its_secret_once() {
        var created = create();
        var path = created.header("Location").orElseThrow();
        assertThat(path).isEqualTo(WEBHOOKS + '/' + created.id());
        assertThat(created.text("secret")).matches("whsec_[A-Za-z0-9+/]{43}=");
        assertThat(created.text("url")).isEqualTo(URL);
        assertThat(created.data().get("active").booleanValue()).isTrue();
        assertThat(created.text("created_at")).isEqualTo(created.text("updated_at"));

        assertThat(admin.get(path).is(200).data().has("secret")).isFalse();
        var list = admin.get(WEBHOOKS).is(200);
        assertThat(list.ids()).containsExactly(created.id());
        assertThat(list.data().get(0).has("secret")).isFalse();
        var changed = admin.put(path, Map.of("active", false)).is(200);
        assertThat(changed.data().has("secret")).isFalse();
    }

    @Test
    void a_secret_is_not_stored_in_plain_text() {
        var secret = "a secret of the caller's own";
        var created =
                admin.post(WEBHOOKS, Requests.with(webhook(), "secret", secret)).is(201);
        assertThat(created.text("secret")).isEqualTo(secret);
        assertThat(TestDatabase.count(
                        "SELECT count(*) FROM webhook WHERE organization_id = ?"
                                + " AND position(?::bytea IN secret_ciphertext) = 0 AND webhook::text NOT LIKE ?",
                        acme.id(),
                        secret.getBytes(StandardCharsets.UTF_8),
                        '%' + secret + '%'))
                .isEqualTo(1);
    }

    @Test
    void all_errors_are_reported_together() {
        admin.post(WEBHOOKS, object("url", "http", "events", List.of(), "secret", "short", "active", true))
                .isInvalid(
                        "/url invalid_format", "/events too_short", "/secret invalid_format", "/active unknown_field");
        admin.post(WEBHOOKS, Map.of()).isInvalid("/url required", "/events required");
        admin.post(WEBHOOKS, object("url", 7, "events", "x", "secret", 5))
                .isInvalid("/url invalid_type", "/events invalid_type", "/secret invalid_type");
        admin.post(WEBHOOKS, Requests.with(webhook(), "events", List.of("objective.updated", "nope", 3)))
                .isInvalid("/events/1 invalid_value", "/events/2 invalid_type");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "https://10.0.0.1/",
                "https://[::ffff:10.0.0.1]/",
                "https://169.254.169.254/latest/meta-data",
                "https://0x7f.1/",
                "https://2130706433/",
                "https://user@93.184.215.14/",
                "https://93.184.215.14/#fragment",
                "ftp://93.184.215.14/",
                "https://does-not-exist.invalid/"
            })
    void a_forbidden_target_is_refused(String url) {
        var answer = admin.post(WEBHOOKS, Requests.with(webhook(), "url", url)).isProblem(422, "validation_failed");
        assertThat(answer.json().at("/errors/0/pointer").textValue()).isEqualTo("/url");
        var path = WEBHOOKS + '/' + create().id();
        admin.put(path, Map.of("url", url)).isProblem(422, "validation_failed");
    }

    @Test
    void every_hostile_url_is_refused_at_creation() {
        assertThat(HostileTargets.URLS).hasSizeGreaterThan(40).doesNotHaveDuplicates();
        for (var url : HostileTargets.URLS) {
            var answer = admin.post(WEBHOOKS, Requests.with(webhook(), "url", url));
            answer.isProblem(422, "validation_failed");
            assertThat(answer.json().at("/errors/0/pointer").textValue())
                    .as(url)
                    .isEqualTo("/url");
        }
        assertThat(admin.get(WEBHOOKS).is(200).ids()).isEmpty();
    }

    @Test
    void an_update_without_changes_leaves_the_webhook_unchanged() {
        var path = WEBHOOKS + '/' + create().id();
        acme.backdate();
        var before = admin.get(path).text("updated_at");
        assertThat(admin.put(path, webhook()).is(200).text("updated_at")).isEqualTo(before);
        assertThat(admin.put(path, Map.of("events", List.of("*"))).is(200).text("updated_at"))
                .isNotEqualTo(before);
        admin.put(path, object("url", null, "events", null, "active", null))
                .isInvalid("/url not_nullable", "/events not_nullable", "/active not_nullable");
    }

    @Test
    void reactivating_clears_the_reason() {
        var path = WEBHOOKS + '/' + create().id();
        TestDatabase.execute(
                "UPDATE webhook SET active = false, disabled_reason = 'gone' WHERE organization_id = ?", acme.id());
        assertThat(admin.get(path).text("disabled_reason")).isEqualTo("gone");
        assertThat(admin.put(path, Map.of("active", true)).is(200).data().has("disabled_reason"))
                .isFalse();
    }

    @Test
    void a_deleted_webhook_is_not_found() {
        var id = create().id();
        assertThat(admin.delete(WEBHOOKS + '/' + id).is(200).text()).isEqualTo("""
                {"data":{"id":"%s","deleted":true}}""".formatted(id));
        admin.get(WEBHOOKS + '/' + id).isNotFound();
        admin.put(WEBHOOKS + '/' + id, Map.of("nope", 1)).isNotFound();
        admin.delete(WEBHOOKS + '/' + id).isNotFound();
    }

    @Test
    void an_unknown_or_malformed_id_is_not_found() {
        for (var id : StrangeIds.like(IdKind.WEBHOOK, create().id())) {
            admin.get(WEBHOOKS + '/' + id).isNotFound();
        }
    }

    @Test
    void webhooks_require_an_admin_of_their_organisation_with_the_scope() {
        var path = WEBHOOKS + '/' + create().id();
        for (var other : List.of(member, viewer)) {
            other.get(WEBHOOKS).isProblem(403, "forbidden");
            other.delete(path).isProblem(403, "forbidden");
        }
        acme.scoped("read", "write").get(WEBHOOKS).isProblem(403, "insufficient_scope");
        acme.scoped("webhooks").get(path).is(200);
        stranger().get(path).isProblem(401, "unauthenticated");
        var elsewhere = organization().admin();
        elsewhere.get(path).isNotFound();
        elsewhere.put(path, Map.of("active", false)).isNotFound();
        elsewhere.delete(path).isNotFound();
        assertThat(elsewhere.get(WEBHOOKS).is(200).ids()).isEmpty();
    }
}
