package dev.okr.events.audit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.testing.Api;
import dev.okr.testing.HttpTest;
import dev.okr.testing.Receiver;
import dev.okr.testing.TestDatabase;
import io.quarkus.test.junit.QuarkusTest;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The audit log records changes of webhooks through the API. */
@QuarkusTest
class AuditLogTest extends HttpTest {
    private static final String WEBHOOKS = "/v1/webhooks";

    private static Map<String, Object> webhook(String url) {
        return Map.of("url", url, "events", List.of("cycle.created"));
    }

    private long entries(String action, String actor, String subjectId) {
        return TestDatabase.count(
                "SELECT count(*) FROM audit_entry WHERE organization_id = ? AND action = ? AND actor = ?"
                        + " AND subject_id = ? AND (user_id IS NOT NULL) = (actor = 'user')",
                acme.id(),
                action,
                actor,
                subjectId);
    }

    private long entries() {
        return TestDatabase.count("SELECT count(*) FROM audit_entry WHERE organization_id = ?", acme.id());
    }

    @Test
    void each_change_of_a_webhook_is_one_entry_of_the_user_who_made_it() throws Exception {
        try (var receiver = Receiver.start()) {
            var id = admin.post(WEBHOOKS, webhook(receiver.url("/hooks")))
                    .is(201)
                    .id();
            admin.post(WEBHOOKS + '/' + id + "/rotate-secret", null).is(200);
            admin.post(WEBHOOKS + '/' + id + "/ping", null).is(202);
            admin.put(WEBHOOKS + '/' + id, Map.of("active", false)).is(200);
            admin.put(WEBHOOKS + '/' + id, Map.of("active", false)).is(200);
            admin.delete(WEBHOOKS + '/' + id).is(200);

            for (var action : List.of("created", "secret_rotated", "pinged", "changed", "deleted")) {
                assertThat(entries("webhook_" + action, "user", id)).as(action).isEqualTo(1);
            }
            assertThat(entries()).isEqualTo(5);
        }
    }

    @Test
    void a_rejected_request_has_no_entry() {
        admin.post(WEBHOOKS, webhook("https://127.0.0.2/")).is(422);
        var id = admin.post(WEBHOOKS, webhook("https://93.184.215.14/secret-path"))
                .is(201)
                .id();
        admin.put(WEBHOOKS + '/' + id, Map.of("active", false)).is(200);
        admin.post(WEBHOOKS + '/' + id + "/ping", null).is(409);
        member.delete(WEBHOOKS + '/' + id).is(403);

        assertThat(entries()).isEqualTo(2);
        assertThat(TestDatabase.count(
                        "SELECT count(*) FROM audit_entry a WHERE organization_id = ? AND a::text LIKE '%secret-path%'",
                        acme.id()))
                .isZero();
    }

    @Test
    void an_action_of_the_service_itself_has_an_entry() throws Exception {
        try (var receiver = Receiver.start()) {
            receiver.answer(Receiver.Reply.status(410));
            var id = admin.post(WEBHOOKS, webhook(receiver.url("/hooks")))
                    .is(201)
                    .id();
            admin.post(WEBHOOKS + '/' + id + "/ping", null).is(202);

            awaitDeactivation(admin, id);
            assertThat(entries("webhook_deactivated", "service", id)).isEqualTo(1);
        }
    }

    private static void awaitDeactivation(Api admin, String id) throws InterruptedException {
        var end = Instant.now().plus(Duration.ofSeconds(10));
        while (admin.get(WEBHOOKS + '/' + id).is(200).data().get("active").booleanValue()) {
            assertThat(Instant.now()).isBefore(end);
            Thread.sleep(50);
        }
    }
}
